/* SPDX-License-Identifier: MIT
 * The C interface: devices, streams, memory and packs, for C and for languages that call C. Functions of
 * kernels are made by TILE_EXPORT (<tile/export.h>); docs/c-api.md shows both.
 *
 * Every function but the texts and the versions gives 0 (TILE_OK) or the code of an error. The text of the
 * error, with place, cause and remedy, is tile_error_text(). No function throws. Null pointers and handles
 * that were closed give TILE_INVALID_ARGUMENT. All functions may be called by several threads. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifndef __cplusplus
#include <stdbool.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* It grows when something is added. What there is does not change. */
#define TILE_C_VERSION 1

enum tile_status {
  TILE_OK = 0,
  TILE_INVALID_ARGUMENT = 1,
  TILE_UNSUPPORTED = 2,
  TILE_NOT_PREPARED = 3,
  TILE_OUT_OF_MEMORY = 4,
  TILE_COMPILATION_REFUSED = 5,
  TILE_DEVICE_LOST = 6,
  TILE_HUNG = 7,
  TILE_INPUT_OUTPUT = 8,
  TILE_INTERNAL = 9
};

/* TILE_C_VERSION of the library that is linked. */
int tile_c_version(void);
/* "0.1.0" */
const char *tile_version_name(void);
/* The text of the last error of this thread, and "" if it had none. It is valid until the thread's next
 * error. */
const char *tile_error_text(void);
/* "not prepared", for TILE_NOT_PREPARED. */
const char *tile_status_name(int status);

/* Handles. Zero is none of them. */
typedef struct tile_device_handle *tile_device;
typedef struct tile_stream_handle *tile_stream;

/* "cuda", "cuda:1", "simulator", "interpreter". "auto" is the device in TILE_DEVICE, else a GPU if there is
 * one, else the simulator. */
int tile_open_device(const char *name, tile_device *device);
/* Its memory is released, and its streams become invalid. */
int tile_close_device(tile_device device);
/* One line for people, cut to `size` characters with the zero at its end. */
int tile_describe_device(tile_device device, char *text, size_t size);

/* Memory of the device. Memory of CUDA, and for "simulator" and "interpreter" any memory of the program,
 * serves as well. */
int tile_allocate(tile_device device, size_t bytes, void **memory);
int tile_release(tile_device device, void *memory);
int tile_copy_in(tile_device device, void *to, const void *from_host, size_t bytes);
int tile_copy_out(tile_device device, void *to_host, const void *from, size_t bytes);

/* The stream of the device itself, a new one, or a cudaStream_t of the application (null: CUDA's default). */
int tile_own_stream(tile_device device, tile_stream *stream);
int tile_new_stream(tile_device device, tile_stream *stream);
int tile_wrap_stream(tile_device device, void *cuda_stream, tile_stream *stream);
/* Work that is queued still runs. */
int tile_close_stream(tile_stream stream);
/* Waits. Errors of kernels that were queued show here. */
int tile_synchronize(tile_stream stream);

/* Compiled kernels that came with the program (docs/shipping.md). */
int tile_load_pack(const char *path);
/* The bytes must stay where they are. `name` is for messages. */
int tile_add_pack(const void *bytes, size_t size, const char *name);
/* Loads what the packs have for the device. `loaded` may be null. */
int tile_prepare(tile_device device, size_t *loaded);
/* true: a kernel that no pack has for the GPU is TILE_NOT_PREPARED. false: it is compiled. */
int tile_compile_never(bool never);

/* A tensor. It is laid out as DLPack's DLTensor (version 1), so (const tile_tensor *)dl_tensor is one. */
typedef struct tile_tensor {
  void *data;
  struct {
    int32_t type;   /* TILE_ON_... */
    int32_t number; /* of the GPU */
  } device;
  int32_t rank;
  struct {
    uint8_t code; /* TILE_INT ... */
    uint8_t bits;
    uint16_t lanes; /* 1 */
  } element;
  int64_t *extents;
  int64_t *strides;     /* in elements; null: contiguous, the last axis is the innermost */
  uint64_t byte_offset; /* of element 0 from data */
} tile_tensor;

enum { TILE_ON_CPU = 1, TILE_ON_CUDA = 2, TILE_ON_CUDA_HOST = 3, TILE_ON_CUDA_MANAGED = 13 };
enum {
  TILE_INT = 0,
  TILE_UINT = 1,
  TILE_FLOAT = 2,
  TILE_BFLOAT = 4,
  TILE_BOOL = 6,
  TILE_FLOAT8_E4M3 = 10,
  TILE_FLOAT8_E5M2 = 12
};

/* The tensor in a DLManagedTensorVersioned, which stays the caller's. Another major version of DLPack is
 * TILE_UNSUPPORTED; a tensor that is read-only and is to be written is TILE_INVALID_ARGUMENT. */
int tile_tensor_of_dlpack(const void *managed_tensor_versioned, bool is_written, const tile_tensor **tensor);

#ifdef __cplusplus
}
#endif
