#!/usr/bin/python3
"""Makes the shipped datasets in data/ from a folder of prepared originals.

    tools/make_datasets.py --from DIR [--to data]

The output has the same bytes on every run. Each folder is read back and compared with its source,
so a conversion that loses anything fails here. docs/data_formats.md describes the layout.
"""

import argparse
import hashlib
import io
import json
import pathlib
import zipfile

import numpy as np

LDS = "ten stratified splits of the LDS protocol (scikit-learn 1.2.1, random_state 0..9)"
UCI = "CC BY 4.0 (UCI Machine Learning Repository); taken from scikit-learn 1.2.1 (BSD-3-Clause)"
PLANETOID = "github.com/kimiyoung/planetoid at af6abf46, ind.{}.*, after LINQS (Sen et al. 2008)"
PLANETOID_LICENCE = "MIT (repository); the LINQS data are public for research, no licence stated"

# name: (source folder, title, source, licence, k and epochs of the paper)
SETS = {
    "wine": ("wine", "Wine recognition (Forina et al.)", "scikit-learn load_wine", UCI,
             90, 1000),
    "cancer": ("cancer", "Breast Cancer Wisconsin, diagnostic (Wolberg et al.)",
               "scikit-learn load_breast_cancer", UCI, 110, 160),
    "digits": ("digits", "Handwritten digits, 8 x 8 pixels (Alpaydin, Kaynak)",
               "scikit-learn load_digits", UCI, 15, 700),
    "citeseer": ("citeseer", "Citeseer, papers and citations", PLANETOID.format("citeseer"),
                 PLANETOID_LICENCE, 20, 48),
    "cora": ("cora", "Cora, papers and citations", PLANETOID.format("cora"), PLANETOID_LICENCE,
             20, 200),
    "20news": ("20news", "20 Newsgroups, ten of the groups, tf-idf of 236 words",
               "bydate release (Lang, Rennie), github.com/YunomiXavia/20news-bydate at 2298b3e1",
               "none stated; public Usenet posts, distributed for research", 10, 1000),
    "fma46": ("fma_small46", "FMA-46, fma_small with 46 librosa features (not the paper's FMA)",
              "features github.com/dcmid/GENREcognition at 93954c9d; genres of FMA "
              "(Defferrard et al. 2017) by github.com/romi1502/genre_classification_ensea_project "
              "at 0ff4523f",
              "none stated for the features; FMA metadata CC BY 4.0", 10, 900),
}


def compact(array):
    """The same numbers in the smallest integer type that holds them, where they are whole."""
    if array.dtype.kind == "f" and not (array == np.floor(array)).all():
        return array.astype(np.float32)
    low, high = (array.min(), array.max()) if array.size else (0, 0)
    for name in ("uint8", "int8", "uint16", "int16", "int32"):
        limits = np.iinfo(name)
        if limits.min <= low and high <= limits.max:
            return array.astype(name)
    raise SystemExit(f"numbers from {low} to {high} do not fit")


def npy_bytes(array):
    out = io.BytesIO()
    np.lib.format.write_array(out, np.ascontiguousarray(array), version=(1, 0))
    return out.getvalue()


def npz_bytes(arrays):
    """As np.savez_compressed, but with a fixed time stamp."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, array in arrays.items():
            info = zipfile.ZipInfo(name + ".npy", date_time=(1980, 1, 1, 0, 0, 0))
            info.create_system = 3
            info.external_attr = 0o644 << 16
            archive.writestr(info, npy_bytes(array), zipfile.ZIP_DEFLATED, compresslevel=9)
    return out.getvalue()


def to_csr(dense):
    rows, columns = np.nonzero(dense)
    indptr = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=len(dense)))])
    return indptr, columns, dense[rows, columns], np.array(dense.shape)


def read_features(source):
    """Dense array, or (indptr, indices, data, shape) with ascending columns in each row."""
    if (source / "features.npz").exists():
        with np.load(source / "features.npz") as z:
            indptr, indices, data, shape = (z[k] for k in ("indptr", "indices", "data", "shape"))
        order = np.lexsort((indices, np.repeat(np.arange(shape[0]), np.diff(indptr))))
        return indptr, indices[order], data[order], shape
    return np.load(source / "features.npy")


def read_splits(source, labels):
    """The arrays of the split file; a test part that is every other labelled row is left out."""
    if (source / "split.npz").exists():
        with np.load(source / "split.npz") as z:
            return "split.npz", {part: np.sort(z[part]) for part in ("train", "val", "test")}
    arrays = {}
    with np.load(source / "splits.npz") as z:
        for s in range(len(z.files) // 3):
            train, val, test = (np.sort(z[f"{part}_{s}"]) for part in ("train", "val", "test"))
            rest = np.setdiff1d(np.flatnonzero(labels >= 0), np.concatenate([train, val]))
            arrays[f"train_{s}"], arrays[f"val_{s}"] = train, val
            if not np.array_equal(rest, test):
                arrays[f"test_{s}"] = test
    return "splits.npz", arrays


def check_same(path, expected):
    """Reads an array file back: every array holds the numbers it was made from."""
    loaded = np.load(path)
    pairs = [(loaded, expected)] if path.suffix == ".npy" else [
        (loaded[key], array) for key, array in expected.items()]
    for got, wanted in pairs:
        if not np.array_equal(got, wanted):
            raise SystemExit(f"{path}: not the same numbers as the source")


def make_set(name, source_root, target_root):
    folder, title, origin, licence, k, epochs = SETS[name]
    source, target = source_root / folder, target_root / name
    if not source.is_dir():
        raise SystemExit(f"{source}: no such folder; --from names the folder of the originals")
    target.mkdir(parents=True, exist_ok=True)
    for old in target.iterdir():
        old.unlink()

    labels = np.load(source / "labels.npy")
    if (source / "unlabeled.npy").exists():
        labels[np.load(source / "unlabeled.npy")] = -1
    arrays = {"labels.npy": labels}

    features = read_features(source)
    if name == "20news":  # dense there, but nine of ten numbers are zero
        features = to_csr(features)
    if isinstance(features, tuple):
        arrays["features.npz"] = dict(zip(("indptr", "indices", "data", "shape"), features))
        shape = [int(n) for n in features[3]]
    else:
        arrays["features.npy"] = features
        shape = list(features.shape)

    edges = 0
    if (source / "edges.npy").exists():
        arrays["edges.npy"] = np.load(source / "edges.npy")
        edges = len(arrays["edges.npy"])

    split_file, splits = read_splits(source, labels)
    arrays[split_file] = splits

    for file, content in sorted(arrays.items()):
        if file.endswith(".npy"):
            (target / file).write_bytes(npy_bytes(compact(content)))
        else:
            small = {key: compact(array) for key, array in content.items()}
            (target / file).write_bytes(npz_bytes(small))
        check_same(target / file, content)
    for file in ("class_names.txt", "feature_names.txt"):
        if (source / file).exists():
            (target / file).write_bytes((source / file).read_bytes())

    meta = {
        "name": name,
        "title": title,
        "rows": shape[0],
        "features": shape[1],
        "classes": len((target / "class_names.txt").read_text().splitlines()),
        "edges": edges,
        "source": origin,
        "licence": licence,
        "splits": "the public split of Planetoid" if split_file == "split.npz" else LDS,
        "splits_are_seeds": split_file == "split.npz",
        "paper_k": k,
        "paper_epochs": epochs,
        "sha256": {file.name: hashlib.sha256(file.read_bytes()).hexdigest()
                   for file in sorted(target.iterdir())},
    }
    (target / "meta.json").write_text(json.dumps(meta, indent=2) + "\n")
    size = sum(file.stat().st_size for file in target.iterdir())
    print(f"{name}: {shape[0]} rows, {shape[1]} features, {edges} edges, {size / 1e3:.0f} kB")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--from", dest="source", type=pathlib.Path, required=True,
                        help="folder with one folder of originals per dataset")
    parser.add_argument("--to", dest="target", type=pathlib.Path,
                        default=pathlib.Path(__file__).resolve().parent.parent / "data")
    arguments = parser.parse_args()
    for name in SETS:
        make_set(name, arguments.source, arguments.target)


if __name__ == "__main__":
    main()
