import type { HttpResponse } from '../../core/adapter.ts';
import { parseHttpDate, toMilliseconds } from '../../core/datetime.ts';
import type { Attributes } from '../../resourcesync/documents/document-model.ts';
import { essenceOf } from '../../resourcesync/source-port.ts';
import type { Report } from '../documents/finding.ts';
import { measure } from '../documents/fixity.ts';
import { toTime } from '../rules/time-rules.ts';

/** What is stated of a representation, against what its URI answers. */

export interface RepresentationRules {
  readonly hash: string;
  readonly length: string;
  readonly type: string;
  readonly encoding: string;
}

/** RS-ATTR-07…11, -15. */
export const resourceRules: RepresentationRules = {
  hash: 'RS-ATTR-09',
  length: 'RS-ATTR-10 RS-ATTR-11',
  type: 'RS-ATTR-15',
  encoding: 'RS-ATTR-07',
};

/** RS-ATTR-22. */
export const linkedRules: RepresentationRules = {
  hash: 'RS-ATTR-22',
  length: 'RS-ATTR-22',
  type: 'RS-ATTR-22',
  encoding: 'RS-ATTR-22',
};

/**
 * Reads the body and compares it with `stated`. Where the body came compressed, its own bytes are not
 * seen: its length is then that of `Content-Length`, and a hash that does not fit proves nothing.
 * @returns undefined, or what could not be checked
 */
export async function checkRepresentation(
  response: HttpResponse,
  stated: Attributes,
  rules: RepresentationRules,
  report: Report,
): Promise<string | undefined> {
  const { headers } = response;
  const coding = headers['content-encoding']?.toLowerCase();
  const encoding = stated.get('encoding')?.toLowerCase();
  if ((coding ?? 'identity') !== (encoding ?? 'identity')) {
    report(
      rules.encoding,
      `encoding is ${encoding ?? 'not given'}, Content-Encoding is ${coding ?? 'absent'}`,
    );
  }
  const type = essenceOf(stated.get('type'));
  const served = essenceOf(headers['content-type']);
  if (type !== undefined && type !== served) {
    report(rules.type, `type is ${type}, Content-Type is ${served ?? 'absent'}`);
  }
  const { length, wrongHash } = await measure(response.body, stated.get('hash'));
  const sent = headers['content-length'];
  const asSent = sent !== undefined && /^\d+$/.test(sent) ? Number(sent) : undefined;
  const opaque = (coding !== undefined && coding !== 'identity') || (asSent ?? length) !== length;
  const expected = stated.get('length');
  if (expected !== undefined && ![String(length), opaque ? sent : undefined].includes(expected)) {
    report(rules.length, `length is ${expected}, but ${opaque ? (sent ?? length) : length} bytes came`);
  }
  if (wrongHash === undefined) return undefined;
  if (opaque && (encoding !== undefined || coding === undefined)) return 'its hash, as it came compressed';
  report(rules.hash, `the content does not fit ${wrongHash}`);
  return undefined;
}

/** RS-TIME-11, RS-ATTR-21: to the second, or as exactly as the time is given. */
export function checkLastModified(
  stated: string | undefined,
  name: string,
  response: HttpResponse,
  rule: string,
  report: Report,
): void {
  const served = parseHttpDate(response.headers['last-modified'] ?? '');
  const time = toTime(stated);
  if (served === undefined || time === undefined || stated === undefined) return;
  const same = stated.includes('T')
    ? Math.abs(toMilliseconds(served) - toMilliseconds(time)) <= 1000
    : served.startsWith(stated);
  if (!same) report(rule, `${name} is ${stated}, Last-Modified is ${served}`);
}
