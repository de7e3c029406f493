"""Seconds to find the k most similar other rows of every row, by another library.

    /usr/bin/python3 nearest_rows.py FOLDER --peer faiss|sklearn|hnswlib --k 10 --threads 2

FOLDER holds rows.npy (N x F float32, rows of length 1, so that the inner product is the cosine) and
chosen.npy (N x k, our exact answer, which `recall` is counted against). Building an index counts; reading
the file does not. Prints one JSON object.
"""
import argparse
import importlib.metadata
import json
import os
import pathlib
import re
import time


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--peer", choices=["faiss", "sklearn", "hnswlib"], required=True)
    parser.add_argument("--k", type=int, required=True)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    return parser.parse_args()


options = parse_options()
os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = str(options.threads)  # before the import

import numpy as np  # noqa: E402

# hnswlib's own recommendations for a high recall; `recall` says what they reach.
HNSW_LINKS, HNSW_BUILD, HNSW_SEARCH = 16, 200, 100


def by_faiss():
    import faiss
    faiss.omp_set_num_threads(options.threads)

    def build(rows):
        index = faiss.IndexFlatIP(rows.shape[1])
        index.add(rows)
        return index.search(rows, options.k + 1)[1]  # each row finds itself, too
    return build, faiss.__version__


def by_sklearn():
    import sklearn
    from sklearn.neighbors import kneighbors_graph

    def build(rows):
        graph = kneighbors_graph(rows, options.k, metric="cosine", include_self=False, n_jobs=options.threads)
        return graph.indices.reshape(len(rows), options.k)
    return build, sklearn.__version__


def by_hnswlib():
    import hnswlib

    def build(rows):
        index = hnswlib.Index(space="ip", dim=rows.shape[1])
        index.init_index(max_elements=len(rows), M=HNSW_LINKS, ef_construction=HNSW_BUILD, random_seed=1)
        index.add_items(rows, num_threads=options.threads)
        index.set_ef(HNSW_SEARCH)
        return index.knn_query(rows, k=options.k + 1, num_threads=options.threads)[0].astype(np.int64)
    return build, importlib.metadata.version("hnswlib")


def without_self(found):
    """The first k of each row that are other rows."""
    other = found != np.arange(len(found))[:, None]
    place = np.cumsum(other, 1)
    kept = other & (place <= options.k)
    return [row[keep] for row, keep in zip(found, kept)]


def recall(found, chosen):
    return float(np.mean([len(np.intersect1d(a, b)) for a, b in zip(found, chosen)]) / options.k)


def loaded_blas():
    with open("/proc/self/maps") as maps:
        files = {line.split()[-1] for line in maps if "/" in line}
    return sorted({os.path.realpath(f) for f in files if re.search(r"blas", os.path.basename(f))})


def peak_mb():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) / 1024 for line in status if line.startswith("VmHWM:"))


def main():
    build, version = {"faiss": by_faiss, "sklearn": by_sklearn, "hnswlib": by_hnswlib}[options.peer]()
    rows = np.load(options.folder / "rows.npy")
    seconds = []
    while len(seconds) < 2 or (sum(seconds) < 2 and len(seconds) < 10):
        start = time.perf_counter()
        found = build(rows)
        seconds.append(time.perf_counter() - start)
        if seconds[0] > 20:
            break
    peak = peak_mb()
    chosen = np.load(options.folder / "chosen.npy")
    print(json.dumps({"peer": options.peer, "version": version, "seconds": min(seconds), "repeats": len(seconds),
                      "peak_mb": peak, "recall": recall(without_self(found), chosen), "blas": loaded_blas()}))


if __name__ == "__main__":
    main()
