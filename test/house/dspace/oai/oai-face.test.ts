import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sharedMaterial } from '../../adapters/shared-material.ts';
import type { Item } from '../model.ts';
import { type RestServer, startRestServer } from '../rest/rest-server.ts';
import { itemsWith, sampleRepository } from '../sample-repository.ts';
import { oaiFormats } from './oai-records.ts';

const fixtures = sharedMaterial('fixtures/dspace/oai');

describe('the OAI-PMH face of the simulated DSpace', () => {
  const repository = sampleRepository({ items: 250 });
  let server: RestServer;

  beforeAll(async () => {
    server = await startRestServer({ repository, oai: true });
  });

  afterAll(() => server.close());

  const ask = async (query: Record<string, string>) => {
    const text = await (await fetch(`${server.oaiUrl}?${new URLSearchParams(query)}`)).text();
    expect(XMLValidator.validate(text)).toBe(true);
    return text;
  };
  const record = (item: Item | undefined, metadataPrefix = 'oai_dc') =>
    ask({ verb: 'GetRecord', metadataPrefix, identifier: `oai:repo.example.org:${item?.handle}` });

  it('lists all public and gone publications with a handle, page by page', async () => {
    const seen = new Map<string, string>();
    let query: Record<string, string> = { verb: 'ListRecords', metadataPrefix: 'oai_dc' };
    const tokens: string[] = [];
    for (;;) {
      const text = await ask(query);
      for (const [, status, id] of text.matchAll(/<header( status="deleted")?><identifier>([^<]+)/g))
        seen.set(id ?? '', status ?? '');
      const token = /<resumptionToken[^>]*>([^<]+)</.exec(text)?.[1];
      if (token === undefined) break;
      tokens.push(token);
      query = { verb: 'ListRecords', resumptionToken: token };
    }
    expect(tokens).toEqual(['oai_dc////100', 'oai_dc////200']);
    // Of fifty: one without handle, a person, a project. Gone: private, withdrawn, embargoed, restricted.
    expect(seen.size).toBe(250 - 15);
    expect([...seen.values()].filter((status) => status !== '')).toHaveLength(20);
  });

  it.each(Object.keys(oaiFormats))('writes %s', async (prefix) => {
    const { items } = repository;
    for (const item of [
      items[1],
      itemsWith(repository, 'controlCharacters')[0],
      itemsWith(repository, 'languages')[0],
    ])
      expect(await record(item, prefix)).toContain('<metadata>');
  });

  it('stays as it is until it is indexed again', async () => {
    const item = repository.items[4] as Item;
    repository.editMetadata(item, { 'dc.title': ['First'] });
    server.oai?.reindex();
    repository.editMetadata(item, { 'dc.title': ['Second'] });
    repository.withdraw(repository.items[5] as Item);
    expect(await record(item)).toContain('>First<');
    expect(await record(repository.items[5])).not.toContain('status="deleted"');
    server.oai?.reindex();
    expect(await record(item)).toContain('>Second<');
    expect(await record(repository.items[5])).toContain('status="deleted"');
  });

  it('says who it is, and selects by set and date', async () => {
    expect(await ask({ verb: 'Identify' })).toContain(
      '<repositoryIdentifier>repo.example.org</repositoryIdentifier>',
    );
    const sets = await ask({ verb: 'ListSets' });
    const set = /<setSpec>(col_[^<]+)/.exec(sets)?.[1] ?? '';
    const text = await ask({ verb: 'ListIdentifiers', metadataPrefix: 'oai_dc', set });
    expect(text.match(/<header/g)?.length).toBe(text.match(new RegExp(`<setSpec>${set}<`, 'g'))?.length);
    expect(await ask({ verb: 'ListIdentifiers', metadataPrefix: 'oai_dc', from: '2040-01-01' })).toContain(
      'noRecordsMatch',
    );
    expect(await ask({ verb: 'ListRecords', metadataPrefix: 'marc21' })).toContain('cannotDisseminateFormat');
    expect(await ask({ verb: 'Nonsense' })).toContain('badVerb');
  });

  it.skipIf(fixtures === undefined)('lays bundles out as DSpace does', async () => {
    const path = join(fixtures ?? '', 'xoai-test1.xml');
    expect(existsSync(path)).toBe(true);
    const theirs = bitstreamFields(readFileSync(path, 'utf8'));
    const ours = bitstreamFields(await record(repository.items[0], 'xoai'));
    expect(ours.length).toBeGreaterThan(0);
    for (const name of theirs) expect(ours).toContain(name);
  });
});

/** Names of the fields of the first bitstream. */
function bitstreamFields(text: string): string[] {
  const parser = new XMLParser({
    ignoreAttributes: false,
    attributeNamePrefix: '',
    isArray: (name) => name === 'element' || name === 'field',
  });
  type Element = { name: string; element?: Element[]; field?: { name: string }[] };
  const find = (elements: Element[], name: string): Element | undefined => {
    for (const element of elements) {
      const found = element.name === name ? element : find(element.element ?? [], name);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  const document =
    /<metadata xmlns="http:\/\/www.lyncode.com\/xoai"[\s\S]*?<\/metadata>/.exec(text)?.[0] ?? '';
  const bundles = find(parser.parse(document).metadata.element, 'bundles');
  const bitstreams = find([bundles as Element], 'bitstreams');
  return bitstreams?.element?.[0]?.field?.map(({ name }) => name) ?? [];
}
