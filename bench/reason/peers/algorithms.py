"""Graph algorithms of igraph and networkit over pairs of 32-bit numbers, as JSON: the least CPU time of each.

    python3 algorithms.py igraph|networkit <edges.bin> <rounds>
"""

import json
import sys
import time
from array import array


def timed(name, rounds, work):
    times = []
    found = ""
    for _ in range(rounds):
        begin = time.process_time()
        found = work()
        times.append((time.process_time() - begin) * 1000)
    return {"name": name, "firstMs": times[0], "leastMs": min(times), "found": str(found)}


def read_edges(path):
    """Nodes without edges are left out, as in a projection."""
    ends = array("I")
    with open(path, "rb") as file:
        ends.frombytes(file.read())
    numbers = {node: place for place, node in enumerate(sorted(set(ends)))}
    return len(numbers), [(numbers[ends[at]], numbers[ends[at + 1]]) for at in range(0, len(ends), 2)]


def run_igraph(nodes, edges, rounds):
    import igraph

    graph = igraph.Graph(n=nodes, edges=edges, directed=True)
    hub = max(range(nodes), key=graph.outdegree)
    undirected = graph.as_undirected(mode="each")
    return [
        timed("projection", rounds, lambda: igraph.Graph(n=nodes, edges=edges, directed=True).ecount()),
        timed("PageRank to 1e-8", rounds, lambda: f"greatest {max(graph.pagerank()):.6g}"),
        timed("weak components", rounds, lambda: len(graph.connected_components(mode="weak"))),
        timed("BFS from the hub", rounds, lambda: len(graph.bfs(hub)[0])),
        timed("Louvain", rounds, lambda: f"modularity {undirected.community_multilevel().modularity:.4f}"),
        timed("core numbers", rounds, lambda: f"greatest {max(graph.as_undirected().coreness())}"),
    ]


def run_networkit(nodes, edges, rounds):
    import networkit

    networkit.setNumberOfThreads(1)

    def build():
        graph = networkit.Graph(nodes, directed=True)
        for source, target in edges:
            graph.addEdge(source, target)
        return graph

    graph = build()
    hub = max(range(nodes), key=graph.degreeOut)
    undirected = networkit.graphtools.toUndirected(graph)

    def page_rank():
        ranks = networkit.centrality.PageRank(graph, damp=0.85, tol=1e-8, distributeSinks=networkit.centrality.SinkHandling.DistributeSinks)
        return f"greatest {max(ranks.run().scores()):.6g}"

    def communities():
        found = networkit.community.PLM(undirected).run().getPartition()
        return f"modularity {networkit.community.Modularity().getQuality(found, undirected):.4f}"

    return [
        timed("PageRank to 1e-8", rounds, page_rank),
        timed("weak components", rounds, lambda: networkit.components.WeaklyConnectedComponents(graph).run().numberOfComponents()),
        timed("BFS from the hub", rounds, lambda: len(networkit.distance.BFS(graph, hub, storePaths=False).run().getDistances())),
        timed("Louvain", rounds, communities),
    ]


def main():
    peer, path, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
    # Fails before the edges are read.
    __import__(peer)
    nodes, edges = read_edges(path)
    run = {"igraph": run_igraph, "networkit": run_networkit}[peer]
    print(json.dumps(run(nodes, edges, rounds)))


main()
