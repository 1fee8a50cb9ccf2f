#pragma once

#include <memory>
#include <mutex>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include "stallscope/engine/meeting.h"
#include "stallscope/engine/messages.h"

namespace stallscope {

/// The store that the configuration asks for. It is used until the ranks have met, and not afterwards.
c10::intrusive_ptr<c10d::Store> OpenMeetingStore(const MeetingConfig& config, int world_size);

}  // namespace stallscope
