import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { XmlC14NMode, XmlDocument, XmlElement } from 'libxml2-wasm';
import { describe, expect, test } from 'vitest';
import { decodeXml } from '../../../../adapters/oai-pmh/wire/decode.ts';
import { RecordCutter } from '../../../../adapters/oai-pmh/wire/record-cutter.ts';
import type { CutRecord } from '../../../../adapters/oai-pmh/wire/record-parser.ts';
import { sharedMaterial } from '../../../house/adapters/shared-material.ts';

const folder = sharedMaterial('fixtures/oai');
const options = { mode: XmlC14NMode.XML_C14N_EXCLUSIVE_1_0, withComments: true };

interface Original {
  readonly identifier: string;
  readonly canonical: string | undefined;
}

/** The records as a second parser sees them; undefined when it refuses the document or finds none. */
function originals(bytes: Buffer): Original[] | undefined {
  let document: XmlDocument;
  try {
    document = XmlDocument.fromString(bytes.toString('utf8').replace(/^\s+/, ''));
  } catch {
    return undefined;
  }
  const local = (name: string) => `*[translate(local-name(), 'GETLISRCOD', 'getlisrcod')='${name}']`;
  const records = document.find(
    `/*[local-name()='OAI-PMH']/*[${['listrecords', 'getrecord'].map((n) => `translate(local-name(),'ABCDEFGHIJKLMNOPQRSTUVWXYZ','abcdefghijklmnopqrstuvwxyz')='${n}'`).join(' or ')}]/${local('record')}`,
  );
  const found = records.map((node): Original => {
    const element = node as XmlElement;
    const payload = element.get("*[local-name()='metadata']/*[1]");
    return {
      identifier: element.get("*[local-name()='header']/*[local-name()='identifier']")?.content.trim() ?? '',
      canonical: payload instanceof XmlElement ? payload.canonicalizeToString(options) : undefined,
    };
  });
  document.dispose();
  return found.length === 0 ? undefined : found;
}

async function cut(bytes: Buffer, size: number): Promise<CutRecord[]> {
  const cutter = new RecordCutter();
  async function* chunks() {
    for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
  }
  let started = false;
  for await (const { text, damaged } of decodeXml(chunks(), undefined)) {
    cutter.write(started ? text : text.replace(/^[\uFEFF\s]+/, ''), damaged);
    started ||= text.trim() !== '';
  }
  cutter.end();
  return cutter.take();
}

function canonical(content: Buffer | undefined): string | undefined {
  if (content === undefined) return undefined;
  const document = XmlDocument.fromBuffer(content);
  const text = document.root.canonicalizeToString(options);
  document.dispose();
  return text;
}

describe.skipIf(folder === undefined)('Responses of real repositories', () => {
  const path = folder ?? '.';
  const files = folder === undefined ? [] : readdirSync(path).filter((name) => name.endsWith('.xml'));
  let compared = 0;

  test.each(files)('%s: every record arrives with its payload intact', async (name) => {
    const bytes = readFileSync(join(path, name));
    const expected = originals(bytes);
    if (expected === undefined) return;
    for (const size of [1_000_000, 997, 7]) {
      if (size === 7 && bytes.length > 200_000) continue;
      const records = await cut(bytes, size);
      expect(records.map(({ identifier }) => identifier)).toEqual(
        expected.map(({ identifier }) => identifier),
      );
      expect(records.map(({ quarantine }) => quarantine)).toEqual(records.map(() => undefined));
      expect(records.map(({ payload }) => canonical(payload?.content))).toEqual(
        expected.map(({ canonical: text }) => text),
      );
    }
    compared += expected.length;
  });

  test('there were records to compare', () => expect(compared).toBeGreaterThan(100));
});
