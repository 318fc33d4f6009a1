import { readSync } from 'node:fs';
import type { DatabaseConfig } from '../../../../src/core/config/config.ts';
import { openDatabase } from '../../../../src/store/engine/database.ts';
import { migrate } from '../../../../src/store/schema/migrate.ts';

/**
 * Takes over a database, and says how far it is: a line with two numbers for each step, after which it stands still until it has read an
 * octet, so that whoever kills it does so at that step. `takeover-process.ts CONFIG`
 */
const database = openDatabase(JSON.parse(process.argv[2] ?? '{}') as DatabaseConfig);
await migrate(database, ({ done, total }) => {
  process.stdout.write(`${done} ${total}\n`);
  readSync(0, Buffer.alloc(1));
});
await database.close();
process.stdout.write(`peak ${process.resourceUsage().maxRSS}\n`);
