import type { RepositoryInfo } from '../../../src/core/adapter.ts';
import { movedAddress } from '../../../src/core/addresses/moved-address.ts';
import { parseDatestamp } from '../../../src/core/datetime.ts';
import { refusal } from '../../../src/core/errors.ts';
import { child, children, childText, nodeText } from '../wire/small-document.ts';
import type { Endpoint } from './endpoint.ts';
import { toBridgeError } from './oai-errors.ts';
import { requestUrl } from './request.ts';

export interface Identity {
  readonly info: Omit<RepositoryInfo, 'formats'>;
  /** By the repository's clock, ISO UTC; undefined where it does not say. */
  readonly answeredAt: string | undefined;
}

/** Asks the repository who it is; order, namespace and missing elements do not matter (quirk 73). */
export async function identify(endpoint: Endpoint, signal: AbortSignal): Promise<Identity> {
  const document = await endpoint.readSmall('Identify', {}, signal);
  const identity = child(document.root, 'identify');
  if (identity === undefined) {
    if (document.errors.length > 0) throw toBridgeError(document.errors);
    throw refusal('upstream-protocol', 'no-identify', { url: endpoint.url });
  }
  const earliest = childText(identity, 'earliestdatestamp');
  const baseUrl = childText(identity, 'baseurl');
  const { movedTo } = document;
  const info = {
    name: childText(identity, 'repositoryname') ?? new URL(endpoint.url).host,
    protocol: 'OAI-PMH',
    protocolVersion: childText(identity, 'protocolversion') ?? '2.0',
    ...(baseUrl === undefined ? {} : { baseUrl }),
    moved: movedTo !== undefined && movedAddress(requestUrl(endpoint.url, 'Identify'), movedTo),
    deletedRecords: deletedRecords(childText(identity, 'deletedrecord')),
    granularity: granularity(childText(identity, 'granularity'), earliest),
    // `aaaa-bb-cc` has been seen (quirk 44).
    earliestDatestamp: earliest === undefined ? undefined : parseDatestamp(earliest),
    adminEmails: children(identity, 'adminemail')
      .map(nodeText)
      .filter((email) => email !== ''),
  };
  return { info, answeredAt: parseDatestamp(document.responseDate ?? '') };
}

/** What is not stated is not promised. */
function deletedRecords(text: string | undefined): RepositoryInfo['deletedRecords'] {
  const word = text?.toLowerCase();
  return word === 'persistent' || word === 'transient' ? word : 'no';
}

/** In any case of letters; inferred from the earliest datestamp where it is missing or odd (quirk 43). */
function granularity(text: string | undefined, earliest: string | undefined): RepositoryInfo['granularity'] {
  if (/^yyyy-mm-ddthh:mm:ss/i.test(text ?? '')) return 'second';
  if (/^yyyy-mm-dd$/i.test(text ?? '')) return 'day';
  return /T\d\d:\d\d/i.test(earliest ?? '') ? 'second' : 'day';
}
