import { readFileSync } from 'node:fs';
import { decodeXml } from '../../../adapters/oai-pmh/wire/decode.ts';
import { RecordCutter } from '../../../adapters/oai-pmh/wire/record-cutter.ts';
import type { CutRecord } from '../../../adapters/oai-pmh/wire/record-parser.ts';

/** The live records of a fixture: a whole response, single `<record>`s, or a bare payload, which get an envelope. */
export async function fixtureRecords(file: string): Promise<CutRecord[]> {
  const text = readFileSync(file, 'utf8').replace(/^[\uFEFF\s]+/, '');
  const root = /<(?:[\w.-]+:)?([A-Za-z][\w.-]*)/.exec(
    text.replace(/<!--[\s\S]*?-->|<\?[\s\S]*?\?>/g, ''),
  )?.[1];
  const bare = text.replace(/^\s*(?:<\?[\s\S]*?\?>\s*)*/, '');
  const document =
    root?.toLowerCase() === 'oai-pmh'
      ? text
      : root === 'records' || root === 'collection'
        ? envelope(bare.replace(/^<\w+[^>]*>/, '').replace(/<\/\w+>\s*$/, ''))
        : root === 'record'
          ? envelope(bare)
          : envelope(`<record>${header}<metadata>${bare}</metadata></record>`);
  const cutter = new RecordCutter();
  async function* chunks() {
    yield Buffer.from(document);
  }
  for await (const { text: piece, damaged } of decodeXml(chunks(), undefined)) cutter.write(piece, damaged);
  cutter.end();
  return cutter.take().filter(({ payload }) => payload !== undefined);
}

const header = '<header><identifier>x</identifier><datestamp>2020-01-01</datestamp></header>';

/** Where a record was cut out of its response, these were declared on the root. */
const declarations =
  'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:dc="http://purl.org/dc/elements/1.1/"' +
  ' xmlns:datacite="http://datacite.org/schema/kernel-4" xmlns:oaire="http://namespace.openaire.eu/schema/oaire/"';

function envelope(records: string): string {
  return `<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/" ${declarations}><ListRecords>${records}</ListRecords></OAI-PMH>`;
}
