#!/usr/bin/python3
"""Writes small array files for the tests into a folder, with NumPy and SciPy themselves: what they
write is what the readers must read. Broken variants are made by the tests, from these bytes.
Usage: make_array_files.py FOLDER"""

import gzip
import pathlib
import sys

import numpy as np
import scipy.io
import scipy.sparse

OUT = pathlib.Path(sys.argv[1])
OUT.mkdir(parents=True, exist_ok=True)
NUMBERS = np.arange(6).reshape(3, 2)  # 0 1 / 2 3 / 4 5


def write_npy(name, array, version=(1, 0)):
    with open(OUT / f"{name}.npy", "wb") as out:
        np.lib.format.write_array(out, array, version=version)


for kind in ("f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"):
    write_npy(kind, NUMBERS.astype("<" + kind))
write_npy("bool", NUMBERS % 2 == 1)
write_npy("big_endian", NUMBERS.astype(">f8"))
write_npy("fortran", np.asfortranarray(NUMBERS.astype("<f4")))
write_npy("version2", NUMBERS.astype("<f4"), (2, 0))
write_npy("version3", NUMBERS.astype("<f4"), (3, 0))
write_npy("half", NUMBERS.astype("<f2"))
write_npy("text", np.array(["cat", "dog"]))
write_npy("cube", np.zeros((2, 2, 2), "<f4"))
write_npy("nan", np.array([[0, 1], [np.nan, 3], [4, 5]], "<f4"))
write_npy("huge", np.array([[0, 1], [2, 1e300], [4, 5]], "<f8"))

# Six rows of two classes: X alone, with labels 3 and 7, with an unknown one, and as an archive.
X = np.array([[0, 5, 1], [1, 4, 1], [0, 6, 2], [8, 1, 3], [9, 2, 3], [7, 1, 4]], "<f4")
y = np.array([3, 3, 3, 7, 7, 7], "<i8")
write_npy("X", X)
write_npy("y", y)
write_npy("y_unknown", np.array([3, -1, 3, 7, 7, -1], "<i8"))
write_npy("y_from_below", np.array([-2, -1, 0, 1, 0, -1], "<i8"))
write_npy("y_signs", np.array([-1, -1, -1, 1, 1, 1], "<i4"))
write_npy("y_nan", np.array([[3], [np.nan], [3], [7], [-1], [7]]))
write_npy("y_nan_beside_minus", np.array([-1, np.nan, -1, 1, 1, 1]))
write_npy("y_bytes", np.array([b"cat", b"dog"] * 3))
write_npy("y_text", np.array(["Mäuse", "dog", "", "dog ", "Mäuse", "nan"]))
write_npy("y_text_swapped", np.array(["Mäuse", "dog", "", "dog", "Mäuse", "nan"]).astype(">U5"))
write_npy("edges", np.array([[0, 1], [1, 0], [2, 2], [3, 4], [3, 5]], "<i4"))
np.savez(OUT / "stored.npz", X=X, y=y)
np.savez_compressed(OUT / "compressed.npz", X=X, y=y)
np.savez_compressed(OUT / "split.npz", train=[0, 3], val=[1], test=[4, 2])
np.savez_compressed(OUT / "split_no_test.npz", train=[3, 0])
path = scipy.sparse.csr_matrix(([0.5, 2, 1, 0.5], ([0, 1, 2, 1], [1, 3, 3, 0])), shape=(4, 4))
scipy.sparse.save_npz(OUT / "path.npz", path)
scipy.sparse.save_npz(OUT / "path_below.npz", -path)
scipy.sparse.save_npz(OUT / "scipy_csr.npz", scipy.sparse.csr_matrix(X))
scipy.sparse.save_npz(OUT / "scipy_csc.npz", scipy.sparse.csc_matrix(X))
coo = scipy.sparse.coo_matrix(X[::-1])
rows, columns = np.append(5 - coo.row, 0), np.append(coo.col, 1)  # in no order, one of them twice
parts = scipy.sparse.coo_matrix((np.append(coo.data, 2), (rows, columns)), shape=X.shape)
parts.data[(rows == 0) & (columns == 1)] = [3, 2]
scipy.sparse.save_npz(OUT / "scipy_coo.npz", parts)
scipy.sparse.save_npz(OUT / "scipy_bsr.npz", scipy.sparse.bsr_matrix(X))
np.savez(OUT / "text_labels.npz", X=X, y=np.array([b"cat", b"dog"] * 3))

# A dataset folder with everything in it but meta.json, and one as plain as can be.
full, plain = OUT / "full_set", OUT / "plain_set"
for folder in (full, plain):
    folder.mkdir(exist_ok=True)
labels = np.array([0, 0, 0, 1, 1, 1], "<i4")
np.savez_compressed(full / "features.npz", indptr=[0, 2, 3, 3, 5, 6, 7],
                    indices=[2, 0, 1, 3, 0, 2, 1], data=[1, 2, 3, 4, 5, 6, 7], shape=[6, 4])
np.save(full / "labels.npy", labels)
np.save(full / "unlabeled.npy", np.array([5], "<i4"))
np.save(full / "edges.npy", np.array([[0, 1], [3, 4]], "<i4"))
(full / "class_names.txt").write_text("red\nblue\n")
(full / "feature_names.txt").write_text("a\nb\nc\nd\n")
np.savez_compressed(full / "splits.npz", train_0=[3, 0], val_0=[1], train_1=[0, 4], val_1=[3],
                    test_1=[1])
np.savez_compressed(plain / "features_u8.npz", X=X.astype("u1"))
np.save(plain / "labels.npy", labels)
np.savez_compressed(plain / "split.npz", train=[0, 1, 3], test=[2, 4, 5])

# A table as gzip files hold it; X above as Matrix Market writes it, and as svmlight rows.
TABLE = "name,width,height,kind\na,1,2.5,cat\nb,-3,4e1,dog\nc,5,+6,\nd,7,8,cat\n"
(OUT / "table.csv.gz").write_bytes(gzip.compress(TABLE.encode(), mtime=0))
scipy.io.mmwrite(OUT / "coordinate.mtx", scipy.sparse.coo_matrix(X.astype("f8")))
scipy.io.mmwrite(OUT / "array.mtx", X.astype("f8"))
LINES = [f"{label:+d} " + " ".join(f"{j + 1}:{v:g}" for j, v in enumerate(row) if v) for label, row in zip(y, X)]
(OUT / "rows.svm").write_text("\n".join(LINES) + "\n")
(OUT / "rows.svm.gz").write_bytes(gzip.compress(("\n".join(LINES) + "\n").encode(), mtime=0))
