/** The last result of `work`, as long as it is asked about the same objects. */
export function remembered<Given extends readonly object[], Result>(
  work: (...given: Given) => Result,
): (...given: Given) => Result {
  let last: { readonly given: Given; readonly result: Result } | undefined;
  return (...given) => {
    if (!last?.given.every((one, index) => one === given[index])) last = { given, result: work(...given) };
    return last.result;
  };
}
