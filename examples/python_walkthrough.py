# %% [markdown]
# # From a table with gaps to predictions, reasons and pictures
#
# Run it as a script, or cell by cell in an editor that knows `# %%`. The trees are invented.

# %%
import numpy as np
import pandas as pd

import glgnn
from glgnn import GLGNNClassifier, plot

# %% [markdown]
# 300 trees of three varieties. Some numbers and some skins were not written down, and for most of
# the trees nobody knows the variety.

# %%
random = np.random.default_rng(7)
kind = random.integers(0, 3, 300)
trees = pd.DataFrame(
    {
        "sugar": np.array([10.0, 12.5, 15.0])[kind] + random.normal(0, 1.0, 300),
        "fruit_grams": np.array([210.0, 150.0, 180.0])[kind] + random.normal(0, 15, 300),
        "harvest_day": np.array([240.0, 255.0, 262.0])[kind] + random.normal(0, 6, 300),
        "skin": np.array(["red", "green", "yellow"])[(kind + (random.random(300) < 0.15)) % 3],
        "slope": random.choice(["north", "south"], 300),
    },
    index=[f"tree {i}" for i in range(300)],
)
trees.loc[random.random(300) < 0.1, "sugar"] = np.nan
trees.loc[random.random(300) < 0.1, "skin"] = None
truth = np.array(["Alba", "Bruno", "Celia"])[kind]

trees, new_trees = trees[:270], trees[270:]
truth, new_truth = truth[:270], truth[270:]
variety = pd.Series(truth, index=trees.index).where(random.random(270) < 0.3, None)
print(f"{variety.notna().sum()} of {len(trees)} trees have a label")

# %% [markdown]
# All trees take part, also those without a label. Categories and gaps are prepared by the
# classifier, and new tables are prepared alike.

# %%
model = GLGNNClassifier(verbose=1).fit(trees, variety)
hidden = variety.isna().to_numpy()
print(f"right among the trees without a label: {np.mean(model.transduction_[hidden] == truth[hidden]):.1%}")
print("the model sees:", ", ".join(model.model_features_))

# %% [markdown]
# Trees that were not there when the model was fitted.

# %%
predicted = model.predict(new_trees)
print(f"right among {len(new_trees)} new trees: {np.mean(predicted == new_truth):.1%}")
print(pd.DataFrame(model.predict_proba(new_trees[:3]), columns=model.classes_).round(3))

# %% [markdown]
# Why is a tree predicted as it is? A few features and a few trees like it that keep the prediction.

# %%
print(model.explain(int(np.flatnonzero(hidden)[0])))

# %% [markdown]
# The learned graph in networkx, and how many of its edges join trees of one variety.

# %%
graph = model.to_networkx()
same = [truth[a] == truth[b] for a, b in graph.edges if a != b]
print(f"{graph.number_of_edges()} edges; {np.mean(same):.1%} of those between two trees join one variety")

# %% [markdown]
# Pictures: the network of graphs, the features that count, the graph of the trees.

# %%
plot.plot_network(model).figure.savefig("network.png")
plot.plot_feature_weights(model).figure.savefig("features.png")
plot.plot_graph(model).figure.savefig("graph.png")

# %% [markdown]
# The model in a file, and back.

# %%
model.save("trees.glgnn")
again = GLGNNClassifier.load("trees.glgnn")
assert (again.predict(new_trees) == predicted).all()
print(f"glgnn {glgnn.__version__}: the model came back from trees.glgnn")
