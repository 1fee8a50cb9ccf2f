#pragma once

namespace stallscope {

/// Keeps oneDNN from its AMX kernels, unless the user chose an instruction set: those of Debian's
/// libtorch 1.13 end the process with an illegal instruction on virtual machines whose processor has AMX.
/// AVX-512's are there on all of them. To be called before the first operator in bf16; more calls change
/// nothing.
void AvoidAmxKernels();

}  // namespace stallscope
