// GL-GNN: classification by graphs that are learned from the data. All of the public API.
#pragma once

#include <glgnn/config.h>
#include <glgnn/context.h>
#include <glgnn/csr.h>
#include <glgnn/data.h>
#include <glgnn/dataset.h>
#include <glgnn/error.h>
#include <glgnn/explain.h>
#include <glgnn/fit_dataset.h>
#include <glgnn/graph_file.h>
#include <glgnn/matrix.h>
#include <glgnn/metrics.h>
#include <glgnn/model.h>
#include <glgnn/new_rows.h>
#include <glgnn/suggest.h>
#include <glgnn/table.h>
#include <glgnn/trainer.h>
