// SPDX-License-Identifier: MIT
// The runtime API for streams, events, callbacks and stream capture.
#pragma once

#include "driver_types.h"
#include "simt/declare.h"

// ---- streams ------------------------------------------------------------------------------------------------------
SIMT_API(cudaStreamCreate, cudaStream_t* stream);
SIMT_API(cudaStreamCreateWithFlags, cudaStream_t* stream, unsigned int flags);
SIMT_API(cudaStreamCreateWithPriority, cudaStream_t* stream, unsigned int flags, int priority);
SIMT_API(cudaStreamDestroy, cudaStream_t stream);  // work already in the stream still runs
SIMT_API(cudaStreamSynchronize, cudaStream_t stream);
SIMT_API(cudaStreamQuery, cudaStream_t stream);  // cudaErrorNotReady while work remains
SIMT_API(cudaStreamWaitEvent, cudaStream_t stream, cudaEvent_t event, unsigned int flags = 0);
SIMT_API(cudaStreamGetFlags, cudaStream_t stream, unsigned int* flags);
SIMT_API(cudaStreamGetPriority, cudaStream_t stream, int* priority);
SIMT_API(cudaStreamGetId, cudaStream_t stream, unsigned long long* id);
SIMT_API(cudaStreamGetDevice, cudaStream_t stream, int* device);
SIMT_API(cudaStreamGetAttribute, cudaStream_t stream, cudaLaunchAttributeID attribute, cudaLaunchAttributeValue* value);
SIMT_API(cudaStreamSetAttribute, cudaStream_t stream, cudaLaunchAttributeID attribute,
         const cudaLaunchAttributeValue* value);
SIMT_API(cudaStreamCopyAttributes, cudaStream_t to, cudaStream_t from);

// Host functions run in stream order; they must not call the runtime API (cudaErrorNotPermitted).
SIMT_API(cudaLaunchHostFunc, cudaStream_t stream, cudaHostFn_t function, void* data);
SIMT_API(cudaStreamAddCallback, cudaStream_t stream, cudaStreamCallback_t callback, void* data, unsigned int flags);

// ---- events -------------------------------------------------------------------------------------------------------
SIMT_API(cudaEventCreateWithFlags, cudaEvent_t* event, unsigned int flags);
SIMT_API(cudaEventCreate, cudaEvent_t* event);
SIMT_API(cudaEventDestroy, cudaEvent_t event);
SIMT_API(cudaEventRecord, cudaEvent_t event, cudaStream_t stream = nullptr);
SIMT_API(cudaEventRecordWithFlags, cudaEvent_t event, cudaStream_t stream = nullptr, unsigned int flags = 0);
SIMT_API(cudaEventSynchronize, cudaEvent_t event);
SIMT_API(cudaEventQuery, cudaEvent_t event);  // cudaErrorNotReady until the event is reached
SIMT_API(cudaEventElapsedTime, float* milliseconds, cudaEvent_t start, cudaEvent_t end);

// ---- capture ------------------------------------------------------------------------------------------------------
SIMT_API(cudaStreamBeginCapture, cudaStream_t stream, enum cudaStreamCaptureMode mode);
SIMT_API(cudaStreamBeginCaptureToGraph, cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
         const cudaGraphEdgeData* edges, size_t dependency_count, enum cudaStreamCaptureMode mode);
SIMT_API(cudaStreamEndCapture, cudaStream_t stream, cudaGraph_t* graph);
SIMT_API(cudaStreamIsCapturing, cudaStream_t stream, enum cudaStreamCaptureStatus* status);
SIMT_API(cudaStreamGetCaptureInfo, cudaStream_t stream, enum cudaStreamCaptureStatus* status,
         unsigned long long* id = nullptr, cudaGraph_t* graph = nullptr,
         const cudaGraphNode_t** dependencies = nullptr, const cudaGraphEdgeData** edges = nullptr,
         size_t* dependency_count = nullptr);
SIMT_API(cudaThreadExchangeStreamCaptureMode, enum cudaStreamCaptureMode* mode);
