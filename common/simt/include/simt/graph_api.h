// SPDX-License-Identifier: MIT
// The runtime API for building, instantiating and launching graphs.
#pragma once

#include "driver_types.h"
#include "simt/declare.h"

// ---- building ------------------------------------------------------------------------------------------------------
#define SIMT_NEW_NODE cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies, size_t count
SIMT_API(cudaGraphCreate, cudaGraph_t* graph, unsigned int flags);
SIMT_API(cudaGraphDestroy, cudaGraph_t graph);
SIMT_API(cudaGraphClone, cudaGraph_t* clone, cudaGraph_t original);
SIMT_API(cudaGraphAddNode, cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
         const cudaGraphEdgeData* edges, size_t count, struct cudaGraphNodeParams* parameters);
SIMT_API(cudaGraphAddKernelNode, SIMT_NEW_NODE, const struct cudaKernelNodeParams* parameters);
SIMT_API(cudaGraphAddMemcpyNode, SIMT_NEW_NODE, const struct cudaMemcpy3DParms* parameters);
SIMT_API(cudaGraphAddMemcpyNode1D, SIMT_NEW_NODE, void* to, const void* from, size_t bytes, enum cudaMemcpyKind kind);
SIMT_API(cudaGraphAddMemsetNode, SIMT_NEW_NODE, const struct cudaMemsetParams* parameters);
SIMT_API(cudaGraphAddHostNode, SIMT_NEW_NODE, const struct cudaHostNodeParams* parameters);
SIMT_API(cudaGraphAddChildGraphNode, SIMT_NEW_NODE, cudaGraph_t child);
SIMT_API(cudaGraphAddEmptyNode, SIMT_NEW_NODE);
SIMT_API(cudaGraphAddEventRecordNode, SIMT_NEW_NODE, cudaEvent_t event);
SIMT_API(cudaGraphAddEventWaitNode, SIMT_NEW_NODE, cudaEvent_t event);
SIMT_API(cudaGraphAddDependencies, cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
         const cudaGraphEdgeData* edges, size_t count);
SIMT_API(cudaGraphDestroyNode, cudaGraphNode_t node);

// ---- querying a graph: with a null array, only the count is returned -----------------------------------------------
SIMT_API(cudaGraphGetNodes, cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count);
SIMT_API(cudaGraphGetRootNodes, cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count);
SIMT_API(cudaGraphGetEdges, cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to, cudaGraphEdgeData* edges,
         size_t* count);
SIMT_API(cudaGraphNodeGetType, cudaGraphNode_t node, enum cudaGraphNodeType* type);
SIMT_API(cudaGraphNodeGetDependencies, cudaGraphNode_t node, cudaGraphNode_t* dependencies, cudaGraphEdgeData* edges,
         size_t* count);
SIMT_API(cudaGraphKernelNodeGetParams, cudaGraphNode_t node, struct cudaKernelNodeParams* parameters);
SIMT_API(cudaGraphKernelNodeSetParams, cudaGraphNode_t node, const struct cudaKernelNodeParams* parameters);
SIMT_API(cudaGraphHostNodeSetParams, cudaGraphNode_t node, const struct cudaHostNodeParams* parameters);
SIMT_API(cudaGraphMemcpyNodeSetParams1D, cudaGraphNode_t node, void* to, const void* from, size_t bytes,
         enum cudaMemcpyKind kind);
SIMT_API(cudaGraphMemsetNodeSetParams, cudaGraphNode_t node, const struct cudaMemsetParams* parameters);
SIMT_API(cudaGraphDebugDotPrint, cudaGraph_t graph, const char* path, unsigned int flags);

// ---- running -------------------------------------------------------------------------------------------------------
SIMT_API(cudaGraphInstantiate, cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long flags = 0);
SIMT_API(cudaGraphInstantiateWithFlags, cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long flags = 0);
SIMT_API(cudaGraphInstantiateWithParams, cudaGraphExec_t* executable, cudaGraph_t graph,
         cudaGraphInstantiateParams* parameters);
SIMT_API(cudaGraphExecDestroy, cudaGraphExec_t executable);
SIMT_API(cudaGraphUpload, cudaGraphExec_t executable, cudaStream_t stream);
SIMT_API(cudaGraphLaunch, cudaGraphExec_t executable, cudaStream_t stream);
SIMT_API(cudaGraphExecUpdate, cudaGraphExec_t executable, cudaGraph_t graph, cudaGraphExecUpdateResultInfo* result);
SIMT_API(cudaGraphExecKernelNodeSetParams, cudaGraphExec_t executable, cudaGraphNode_t node,
         const struct cudaKernelNodeParams* parameters);
SIMT_API(cudaGraphExecHostNodeSetParams, cudaGraphExec_t executable, cudaGraphNode_t node,
         const struct cudaHostNodeParams* parameters);
SIMT_API(cudaGraphExecMemcpyNodeSetParams1D, cudaGraphExec_t executable, cudaGraphNode_t node, void* to,
         const void* from, size_t bytes, enum cudaMemcpyKind kind);
SIMT_API(cudaGraphExecMemsetNodeSetParams, cudaGraphExec_t executable, cudaGraphNode_t node,
         const struct cudaMemsetParams* parameters);
SIMT_API(cudaGraphNodeSetEnabled, cudaGraphExec_t executable, cudaGraphNode_t node, unsigned int enabled);
SIMT_API(cudaGraphNodeGetEnabled, cudaGraphExec_t executable, cudaGraphNode_t node, unsigned int* enabled);
#undef SIMT_NEW_NODE
