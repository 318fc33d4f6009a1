import type { IdentifierEntry } from '../../../src/core/adapter.ts';
import { parseDatestamp } from '../../../src/core/datetime.ts';
import { say } from '../../../src/core/reasons/reason.ts';
import type { ReadEntry } from './page-batch.ts';

/** Headers of ListIdentifiers as identifiers; whatever else is wrong with one, its name says that it is there. */
export function readHeader(format: string): ReadEntry<IdentifierEntry> {
  return ({ identifier, datestamp, setSpecs, deleted, quarantine }) => {
    if (identifier !== '') {
      const entry = {
        identifier,
        datestamp: parseDatestamp(datestamp),
        collections: setSpecs,
        deleted,
      };
      return { entry, problem: undefined };
    }
    const message = say('header-unreadable', { why: quarantine ?? 'it states no identifier' });
    return { entry: undefined, problem: { code: 'record-quarantined', format, message } };
  };
}
