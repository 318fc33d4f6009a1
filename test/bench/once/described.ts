import { setTimeout } from 'node:timers/promises';
import type { DatabaseConfig } from '../../../src/core/config/config.ts';
import { openDatabase } from '../../../src/store/engine/database.ts';
import { readFollowed } from '../../../src/store/search/following.ts';

/** Waits until the search index has followed every journal to its end. @returns how long that took */
export async function untilDescribed(config: DatabaseConfig): Promise<{ readonly seconds: number }> {
  const database = openDatabase(config);
  const began = performance.now();
  try {
    while ((await readFollowed(database.reader)).some(({ seq, journalSeq }) => seq < journalSeq))
      await setTimeout(1000);
    return { seconds: Math.round((performance.now() - began) / 1000) };
  } finally {
    await database.close();
  }
}
