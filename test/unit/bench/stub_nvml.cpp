// SPDX-License-Identifier: MIT
// NVIDIA's management library with one GPU, whose power is not known.
#include <cstring>

#define STUB extern "C" __attribute__((visibility("default")))

STUB int nvmlInit_v2() { return 0; }
STUB int nvmlShutdown() { return 0; }
STUB int nvmlDeviceGetHandleByPciBusId_v2(const char *id, void **device) {
  *device = nullptr;
  return std::strcmp(id, "00000000:18:00.0") == 0 ? 0 : 6;   // not found
}
STUB int nvmlSystemGetDriverVersion(char *version, unsigned length) {
  std::strncpy(version, "580.159.04", length);
  return 0;
}
STUB int nvmlDeviceGetClockInfo(void *, int type, unsigned *megahertz) {
  *megahertz = type == 1 ? 1410 : 3201;
  return 0;
}
STUB int nvmlDeviceGetMaxClockInfo(void *, int, unsigned *megahertz) {
  *megahertz = 1980;
  return 0;
}
STUB int nvmlDeviceGetPowerUsage(void *, unsigned *) { return 3; }   // not supported
STUB int nvmlDeviceGetEnforcedPowerLimit(void *, unsigned *milliwatts) {
  *milliwatts = 700000;
  return 0;
}
STUB int nvmlDeviceGetTemperature(void *, int, unsigned *celsius) {
  *celsius = 61;
  return 0;
}
STUB int nvmlDeviceGetCurrentClocksThrottleReasons(void *, unsigned long long *reasons) {
  *reasons = 0x1 | 0x4 | 0x20;
  return 0;
}
