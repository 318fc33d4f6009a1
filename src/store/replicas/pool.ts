/** What knex asks on a connection, and what was said. */
export interface Asked {
  readonly sql: string;
  bindings?: readonly unknown[];
  response?: unknown;
}

/** Of knex's client: connections to one server. */
export interface Pool {
  acquireConnection(): Promise<object>;
  releaseConnection(connection: object): Promise<void>;
  _query(connection: object, query: Asked): Promise<Asked>;
}

/** The one row of an answer. */
export async function askOn<Row>(pool: Pool, connection: object, sql: string): Promise<Row> {
  const { response } = await pool._query(connection, { sql });
  const [row] = (response as { rows: Row[] }).rows;
  if (row === undefined) throw new Error(`no row: ${sql}`);
  return row;
}

/** @throws Error when it takes longer than that */
export async function within<T>(milliseconds: number, asked: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${milliseconds} ms`)), milliseconds);
  });
  try {
    return await Promise.race([asked, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** A connection, unless it takes longer than that; one that comes later is given back. */
export async function connectionWithin(pool: Pool, milliseconds: number): Promise<object> {
  let isLate = false;
  const wanted = pool.acquireConnection();
  wanted.then(
    (connection) => isLate && void pool.releaseConnection(connection),
    () => undefined,
  );
  try {
    return await within(milliseconds, wanted);
  } catch (error) {
    isLate = true;
    throw error;
  }
}
