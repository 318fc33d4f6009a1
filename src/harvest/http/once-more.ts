const attempts = 4;
const closedCodes = /^(?:UND_ERR_SOCKET|ECONNRESET|EPIPE)$/;

/**
 * A connection that was kept alive may be closed by the other side at the moment it is used again; after a quiet while
 * that may be true of several, one after the other.
 */
export async function onceMore<Result>(work: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
  for (let again = attempts - 1; ; again -= 1) {
    try {
      return await work();
    } catch (error) {
      const isClosed = codesOf(error).some((code) => closedCodes.test(code));
      if (again === 0 || signal.aborted || !isClosed) throw error;
    }
  }
}

/** Of an error and what caused it, outermost first. */
export function codesOf(error: unknown): readonly string[] {
  const codes: string[] = [];
  for (let cause = error; cause instanceof Error && codes.length < 5; cause = cause.cause) {
    const { code } = cause as { code?: unknown };
    if (typeof code === 'string') codes.push(code);
  }
  return codes;
}
