"""Finds cycles in a graph of names, {from: those it points to}."""


def components(graph):
    """The groups of names in which each can be reached from each and from itself (Tarjan), each sorted."""
    index, low, stack, on_stack, found = {}, {}, [], set(), []
    for start in sorted(graph):
        if start in index:
            continue
        index[start] = low[start] = len(index)
        stack.append(start)
        on_stack.add(start)
        work = [(start, iter(sorted(graph[start])))]
        while work:
            here, following = work[-1]
            for there in following:
                if there not in index:
                    index[there] = low[there] = len(index)
                    stack.append(there)
                    on_stack.add(there)
                    work.append((there, iter(sorted(graph.get(there, ())))))
                    break
                if there in on_stack:
                    low[here] = min(low[here], index[there])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[here])
                if low[here] == index[here]:
                    group = [stack.pop()]
                    while group[-1] != here:
                        group.append(stack.pop())
                    on_stack -= set(group)
                    if len(group) > 1 or here in graph.get(here, ()):
                        found.append(tuple(sorted(group)))
    return sorted(found)


def shortest(graph, group):
    """The shortest cycle of a group of components(): its names, the first one once more at the end."""
    best = None
    for start in group:
        ways, seen = [[start]], {start}
        while ways and (best is None or len(ways[0]) + 1 < len(best)):
            way = ways.pop(0)
            if start in graph.get(way[-1], ()):
                best = way + [start]
                break
            for there in sorted(graph.get(way[-1], ())):
                if there in group and there not in seen:
                    seen.add(there)
                    ways.append(way + [there])
    return best
