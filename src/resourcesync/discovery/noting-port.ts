import { later, parseHttpDate } from '../../core/datetime.ts';
import type { SourcePort } from '../source-port.ts';

/** A way out that notes the status of each address that was asked for, the latest, and the time. */
export interface NotingPort extends SourcePort {
  readonly statuses: ReadonlyMap<string, number>;
  /** The latest time that a server has said it is, ISO UTC; undefined: none has. */
  readonly servedAt: string | undefined;
}

export function notingPort(port: SourcePort): NotingPort {
  const statuses = new Map<string, number>();
  let servedAt: string | undefined;
  return {
    ...port,
    statuses,
    get servedAt() {
      return servedAt;
    },
    get: async (uri, purpose, headers) => {
      const response = await port.get(uri, purpose, headers);
      statuses.set(uri, response.status);
      const date = parseHttpDate(response.headers.date ?? '');
      if (date !== undefined) servedAt = later(servedAt ?? date, date);
      return response;
    },
  };
}
