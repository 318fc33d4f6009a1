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

/** A connection, unless it takes longer than that; one that comes later is given back. */
export async function connectionWithin(pool: Pool, milliseconds: number): Promise<object | undefined> {
  let isLate = false;
  let timer: NodeJS.Timeout | undefined;
  const wanted = pool.acquireConnection();
  wanted.then(
    (connection) => isLate && void pool.releaseConnection(connection),
    () => undefined,
  );
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => {
      isLate = true;
      resolve(undefined);
    }, milliseconds);
  });
  try {
    return await Promise.race([wanted, late]);
  } finally {
    clearTimeout(timer);
  }
}
