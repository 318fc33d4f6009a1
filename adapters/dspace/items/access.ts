import type { FileAccess } from '../../../src/core/adapter.ts';
import { parseDatestamp } from '../../../src/core/datetime.ts';
import { asText, type JsonObject } from '../rest/json-value.ts';

export interface StatedAccess {
  readonly access: FileAccess;
  readonly availableAt?: string | undefined;
}

export const unknownAccess: StatedAccess = { access: 'unknown' };

/**
 * `{status, embargoDate}` as of `/accessStatus`, which DSpace works out for anonymous readers. The date is there from
 * DSpace 9 on; without one an embargo ends when it is gone. `metadata.only` and `unknown` tell nothing of a file.
 */
export function readAccess(json: JsonObject | undefined): StatedAccess {
  switch (asText(json?.status)) {
    case 'open.access':
      return { access: 'open' };
    case 'restricted':
      return { access: 'restricted' };
    case 'embargo': {
      const date = asText(json?.embargoDate);
      const availableAt = date === undefined ? undefined : parseDatestamp(date);
      return { access: 'embargoed', ...(availableAt === undefined ? {} : { availableAt }) };
    }
    default:
      return unknownAccess;
  }
}
