#pragma once

#include <string_view>

namespace stallscope {

/// How a provider counts time.
struct BillingRule {
  double granularity_s = 1;  ///< every begun one is charged
  double minimum_s = 60;

  /// Hours on the bill.
  double BilledHours(double hours) const;
};

/// Seconds, from the first minute on: what AWS says of Linux machines, on demand and spot. Of other providers
/// it is assumed; the user may know better (--billing).
/// aws.amazon.com/about-aws/whats-new/2017/10/announcing-amazon-ec2-per-second-billing
inline constexpr std::string_view kProviderWithKnownBilling = "aws";

/// What a job on some machines costs.
struct Charge {
  int machines = 1;
  double usd_hour = 0;  ///< of one machine
  BillingRule billing;
  double storage_usd_hour = 0;  ///< of all machines together

  double Usd(double hours) const;
  /// The most hours that the budget pays; below 0 where it does not pay for the minimum.
  double HoursFor(double usd) const;
};

/// Disks that clouds attach are priced by the month; providers count 730 hours in it.
inline constexpr double kHoursPerMonth = 730;

}  // namespace stallscope
