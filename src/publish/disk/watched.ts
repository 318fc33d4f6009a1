/**
 * Pages of something long: between any two of them the publication may be told to stop, and gets to do what
 * cannot wait.
 * @throws the reason of `signal`
 */
export async function* watched<Page>(
  pages: AsyncIterable<Page>,
  signal: AbortSignal | undefined,
  meanwhile: () => Promise<void>,
): AsyncGenerator<Page> {
  for await (const page of pages) {
    signal?.throwIfAborted();
    yield page;
    await meanwhile();
  }
}
