interface Connection {
  query(statement: string): Promise<unknown>;
}

/**
 * To PostgreSQL, of statements that are known by their names: plan each once, whatever it is asked with. By itself it plans anew
 * each time wherever a value says in which partition to look, and for one row planning takes ten times as long as reading it. A plan
 * for any value expects a row of each partition, and the tables may have been small when it was made: so that it leads from the key to
 * its rows even then, nothing else is left to it.
 */
const keyed = ['enable_seqscan = off', 'enable_hashjoin = off', 'enable_mergejoin = off'];
const kept = ['plan_cache_mode = force_generic_plan', ...keyed];
const keep = kept.map((setting) => `set ${setting}`).join(';');
const leave = kept.map((setting) => `reset ${setting.split(' ', 1)[0]}`).join(';');

const keeping = new WeakSet<Connection>();

/**
 * Before a statement, and outside of a transaction: that would take back what is set.
 * @param isByKey whether it is one whose plan is to be kept; any other would suffer from it
 */
export async function keepPlans(connection: Connection, isByKey: boolean): Promise<void> {
  if (keeping.has(connection) === isByKey) return;
  await connection.query(isByKey ? keep : leave);
  if (isByKey) keeping.add(connection);
  else keeping.delete(connection);
}
