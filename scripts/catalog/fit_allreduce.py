"""Latency and bandwidth out of published nccl-tests tables.

Time against size is fitted as a line of one to four pieces that meet: t(s) = latency + sum of slope_k * (bytes of s
that fall into piece k), no slope below zero, relative errors, knots at measured sizes, their number by the Bayesian
information criterion. Intervals come from resampled residuals.
"""

import itertools

import numpy as np

KNOTS_AT_MOST = 3
RESAMPLES = 400
# Two decimals of GB/s say nothing below this.
LEAST_BUS_BANDWIDTH = 0.1
ROUNDING = 0.005
# Runs of one machine differ by more than this; a closer fit is no better.
KNOWN_TO = 0.01
# A piece that is faster than this is flat: its bandwidth cannot be told.
FLAT_ABOVE = 5000.0


def bus_factor(collective, gpus):
    share = (gpus - 1) / gpus
    return 2 * share if collective == "all_reduce" else share


def pieces(sizes, knots):
    """One column for the latency, one per piece."""
    edges = [0.0, *knots, np.inf]
    columns = [np.ones_like(sizes)]
    for low, high in zip(edges, edges[1:]):
        columns.append(np.clip(np.minimum(sizes, high) - low, 0, None))
    return np.column_stack(columns)


def nonnegative(matrix, target):
    """Least squares without negative coefficients: there are at most five, so all choices are tried."""
    best, best_error = None, np.inf
    columns = range(matrix.shape[1])
    for count in range(1, matrix.shape[1] + 1):
        for chosen in itertools.combinations(columns, count):
            part = matrix[:, chosen]
            solution = np.linalg.lstsq(part, target, rcond=None)[0]
            if (solution < 0).any():
                continue
            error = float(((part @ solution - target) ** 2).sum())
            if error < best_error - 1e-15:
                best_error = error
                best = np.zeros(matrix.shape[1])
                best[list(chosen)] = solution
    return best


def solve(sizes, times, sigma, knots):
    weights = 1 / (times * sigma)
    scale = sizes.max()
    matrix = pieces(sizes / scale, [knot / scale for knot in knots]) * weights[:, None]
    # Columns of one size each: bytes and seconds differ by nine orders.
    norms = np.linalg.norm(matrix, axis=0)
    solution = nonnegative(matrix / norms, times * weights)
    return solution / norms / np.array([1.0] + [scale] * (len(knots) + 1))


def fit(points, collective, gpus):
    """points: (bytes, bus bandwidth in GB/s). Returns None where there are too few for a line."""
    points = sorted((s, b) for s, b in points if b >= LEAST_BUS_BANDWIDTH)
    sizes = np.array([s for s, _ in points], float)
    distinct = sorted(set(sizes))
    if len(distinct) < 4:
        return None
    bus = np.array([b for _, b in points], float)
    times = sizes * bus_factor(collective, gpus) / (bus * 1e9)
    sigma = np.sqrt(0.03**2 + (ROUNDING / bus) ** 2)
    best = None
    for count in range(KNOTS_AT_MOST + 1):
        if 3 * (count + 1) > len(distinct) + 1:
            break
        for knots in itertools.combinations(distinct[1:-1], count):
            # Every piece needs points of its own.
            edges = [0, *knots, distinct[-1]]
            if any(sum(low < s <= high for s in distinct) < 2 for low, high in zip(edges, edges[1:])):
                continue
            parameters = solve(sizes, times, sigma, knots)
            fitted = pieces(sizes, knots) @ parameters
            residual = np.log(fitted / times)
            error = float((residual**2).mean())
            bic = len(sizes) * np.log(max(error, KNOWN_TO**2)) + (2 * count + 2) * np.log(len(sizes))
            if best is None or bic < best[0] - 1e-9:
                best = (bic, knots, parameters, residual, fitted)
    _, knots, parameters, residual, fitted = best
    return describe(sizes, sigma, knots, parameters, residual, fitted, bus_factor(collective, gpus))


def bus_bandwidth(factor, slope):
    """In GB/s; None for a piece that is flat."""
    return factor / slope / 1e9 if slope * 1e9 * FLAT_ABOVE > factor else None


def describe(sizes, sigma, knots, parameters, residual, fitted, factor):
    random = np.random.default_rng(1)
    freedom = max(1, len(sizes) - len(parameters) - len(knots))
    spread = (residual - residual.mean()) * np.sqrt(len(sizes) / freedom)
    drawn = []
    for _ in range(RESAMPLES):
        noisy = fitted * np.exp(random.choice(spread, len(sizes)))
        drawn.append(solve(sizes, noisy, sigma, knots))
    low, high = np.percentile(np.array(drawn), [2.5, 97.5], axis=0)
    edges = [float(sizes.min()), *knots, float(sizes.max())]
    segments, intercept = [], parameters[0]
    for k in range(len(knots) + 1):
        if k > 0:
            # Where the pieces meet, both give the same time.
            intercept += knots[k - 1] * (parameters[k] - parameters[k + 1])
        segments.append(
            {
                "from": edges[k],
                "to": edges[k + 1],
                "intercept_us": intercept * 1e6,
                "busbw": bus_bandwidth(factor, parameters[k + 1]),
                "low": bus_bandwidth(factor, high[k + 1]),
                "high": bus_bandwidth(factor, low[k + 1]),
            }
        )
    return {
        "latency_us": [parameters[0] * 1e6, low[0] * 1e6, high[0] * 1e6],
        "segments": segments,
        "error": float(np.sqrt((residual**2).mean())),
        "points": len(sizes),
    }
