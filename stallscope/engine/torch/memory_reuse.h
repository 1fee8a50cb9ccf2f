#pragma once

namespace stallscope {

/// Freed memory stays with the process from now on. Gradients and activations come and go in every step;
/// glibc would return the large ones to the kernel each time, and fetching them back page by page is up to a
/// third of a large network's step, and a noisy one.
void KeepFreedMemory();

}  // namespace stallscope
