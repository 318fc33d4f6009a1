import { parentPort, workerData } from 'node:worker_threads';
import type { Row } from '../../../src/store/engine/bulk.ts';
import { type BlobRow, packAgainst, packBlob } from '../../../src/store/payloads/blobs.ts';
import { keyOfForm, type LinkForm, referTo, toForm } from '../../../src/store/rows/link-form.ts';
import { payload } from './time-payload.ts';
import {
  datestamp,
  hashOf,
  identifierOf,
  lastmodOf,
  momentOf,
  type Plan,
  pageEnd,
  pathOf,
} from './time-plan.ts';

/** A page of a round. Whoever makes one makes that page of all rounds: it knows what its deltas are deltas of. */
export interface PageToMake {
  readonly version: number;
  /** Its first resource. */
  readonly from: number;
}

/** By their tables, as `storePage` would leave them. */
export type PageRows = Readonly<Record<string, readonly Row[]>>;

export const sourceId = 1;

/** Packing takes most of the time: it is done by workers, to which pages are posted. */
parentPort?.on('message', (page: PageToMake) => parentPort?.postMessage(makeRows(workerData as Plan, page)));

/** The version of each resource that is kept whole, and the octets that takes. */
const keyframes = new Map<number, { readonly version: number; readonly packedLength: number }>();

function makeRows(plan: Plan, { version, from }: PageToMake): PageRows {
  const numbers = Array.from({ length: pageEnd(plan, from) - from }, (_, index) => from + index);
  const states = numbers.map((number) => versionOf(plan, number, version));
  const seq = version * plan.resources + from + numbers.length;
  return {
    ...(version === 0 && from === 0 && { link_form: [formRow()] }),
    ...(version === 0 && {
      item: numbers.map((number) => itemOf(number)),
      resource: numbers.map((number) => resourceOf(plan, number)),
    }),
    blob: states.map(({ blob }) => blob),
    change: states.map(({ change }) => change),
    version: states.map(({ version }) => version),
    moment: [{ source_id: sourceId, at: momentOf(from, version), seq }],
  };
}

function itemOf(number: number): Row {
  return { id: number + 1, source_id: sourceId, identifier: identifierOf(number), datestamp };
}

/** As it is after the last round: that is written once. */
function resourceOf(plan: Plan, number: number): Row {
  const [id, last] = [number + 1, plan.versions - 1];
  return {
    ...{ id, source_id: sourceId, item_id: id, path: pathOf(number), kind: 'metadata', format: 'oai_dc' },
    ...factsOf(number, last, payload(number, last)),
    ...{ links: linksOf(number), last_seq: seqOf(plan, number, last), version_count: plan.versions },
  };
}

function versionOf(plan: Plan, number: number, version: number) {
  const content = payload(number, version);
  const facts = factsOf(number, version, content);
  const [seq, at] = [seqOf(plan, number, version), momentOf(number, version)];
  const [resource_id, kind] = [number + 1, version === 0 ? 'created' : 'updated'];
  return {
    change: { source_id: sourceId, seq, resource_id, at, kind, ...facts, links: linksOf(number) },
    version: { source_id: sourceId, resource_id, seq, at, gone: 0, ...facts },
    blob: { ...pack(number, version, facts.hash, content) },
  };
}

/** As the store does it. */
function pack(number: number, version: number, hash: string, content: Uint8Array): BlobRow {
  const keyframe = keyframes.get(number);
  const base = keyframe && payload(number, keyframe.version);
  const row = base
    ? packAgainst(hash, content, {
        hash: hashOf(base),
        content: base,
        packedLength: keyframe.packedLength,
      })
    : packBlob(hash, content);
  if (row.coding !== 'delta') keyframes.set(number, { version, packedLength: row.data.byteLength });
  return row;
}

function factsOf(number: number, version: number, content: Uint8Array) {
  const [hash, lastmod] = [hashOf(content), lastmodOf(number, version)];
  return { media_type: 'application/xml', length: content.byteLength, hash, lastmod };
}

function seqOf({ resources }: Plan, number: number, version: number): number {
  return version * resources + number + 1;
}

/** All have the same, but for an address of their own. */
function formOf(number: number): LinkForm {
  const links = [
    { rel: 'describes', href: `https://repo.example.org/handle/2324/${number}` },
    { rel: 'profile', href: 'http://www.openarchives.org/OAI/2.0/oai_dc/' },
    { rel: 'collection', href: 'bench/collections/theses' },
  ];
  const form = toForm(JSON.stringify(links), pathOf(number));
  if (!form) throw new Error('such links are not kept as a form');
  return form;
}

function formRow(): Row {
  const { form } = formOf(0);
  return { id: keyOfForm(form), source_id: sourceId, form };
}

/** As they are stored. */
function linksOf(number: number): string {
  const { form, rest } = formOf(number);
  return referTo(keyOfForm(form), rest);
}
