/**
 * Pages of something long: between any two of them the publication may be told to stop, and gets to do what
 * cannot wait.
 * @param onPage called with each page that is done
 * @throws the reason of `signal`
 */
export async function* watched<Page>(
  pages: AsyncIterable<Page>,
  signal: AbortSignal | undefined,
  meanwhile: () => Promise<void>,
  onPage?: (page: Page) => void,
): AsyncGenerator<Page> {
  for await (const page of pages) {
    signal?.throwIfAborted();
    try {
      yield page;
    } finally {
      onPage?.(page);
    }
    await meanwhile();
  }
}
