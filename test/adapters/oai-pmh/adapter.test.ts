import { describe, expect, test } from 'vitest';
import { createAdapter } from '../../../adapters/index.ts';
import { requestUrl } from '../../../adapters/oai-pmh/endpoint/request.ts';
import { createContext } from '../../house/adapters/http-double.ts';
import {
  envelope,
  failure,
  formats,
  identity,
  list,
  oaiDc,
  provide,
  record,
  repository,
  type Script,
} from '../../house/adapters/scripted-provider.ts';

const signal = new AbortController().signal;

async function open(script: Script, configured?: readonly string[], requestsPerHost = 1) {
  const { url, requests } = await provide(script);
  return {
    requests,
    adapter: createAdapter(
      'oai-pmh',
      { url, overlapSeconds: 0, requestsPerHost, files: undefined, formats: configured },
      createContext(),
    ),
  };
}

test('An adapter that does not exist is a mistake in the configuration', () => {
  expect(() =>
    createAdapter(
      'gopher',
      { url: 'x', overlapSeconds: 0, requestsPerHost: 1, files: undefined },
      createContext(),
    ),
  ).toThrow(/no adapter called "gopher"/);
});

describe('Identify', () => {
  const asked = (document: string) =>
    open((query) => (query.get('verb') === 'Identify' ? document : formats));

  test('tells who the repository is, and which formats will be taken', async () => {
    const { adapter } = await asked(identity());
    expect(await adapter.identify(signal)).toEqual({
      name: 'Test & Co',
      protocol: 'OAI-PMH',
      protocolVersion: '2.0',
      baseUrl: 'http://repo.example.org/oai',
      deletedRecords: 'persistent',
      granularity: 'second',
      moved: false,
      earliestDatestamp: undefined,
      adminEmails: ['a@example.org'],
      formats: [
        {
          name: 'oai_dc',
          namespace: 'http://www.openarchives.org/OAI/2.0/oai_dc/',
          schema: undefined,
          selected: true,
          offered: true,
          fileRank: 95,
        },
      ],
    });
  });

  test('names configured formats that the repository does not list, behind those it does', async () => {
    const stated = formats.replace(
      '<metadataFormat>',
      '<metadataFormat><metadataPrefix>other</metadataPrefix></metadataFormat><metadataFormat>',
    );
    const formatsOf = async (document: string, configured: readonly string[]) => {
      const answer: Script = (query) => (query.get('verb') === 'Identify' ? identity() : document);
      const info = await (await open(answer, configured)).adapter.identify(signal);
      return info.formats.map(({ name, selected, offered }) => ({ name, selected, offered }));
    };
    expect(await formatsOf(stated, ['mods', 'oai_dc'])).toEqual([
      { name: 'other', selected: false, offered: true },
      { name: 'oai_dc', selected: true, offered: true },
      { name: 'mods', selected: true, offered: false },
    ]);
    expect(await formatsOf(failure('badVerb'), ['mods', 'oai_dc'])).toEqual([
      { name: 'mods', selected: true, offered: false },
      { name: 'oai_dc', selected: true, offered: false },
    ]);
  });

  test('is understood without namespace, prefixed, out of order, behind blanks and before junk', async () => {
    const bare = identity('yyyy-MM-DD').replace(/ xmlns="[^"]*"/, '');
    expect(
      await (await asked(`\n\uFEFF ${bare}<br>Notice: undefined`)).adapter.identify(signal),
    ).toMatchObject({ granularity: 'day' });
    const prefixed =
      '<o:OAI-PMH xmlns:o="http://www.openarchives.org/OAI/2.0/"><o:identify><o:earliestDatestamp>2001-01-01T00:00:00Z</o:earliestDatestamp>' +
      '<o:repositoryName><![CDATA[A & B]]></o:repositoryName></o:identify></o:OAI-PMH>';
    expect(await (await asked(prefixed)).adapter.identify(signal)).toMatchObject({
      name: 'A & B',
      granularity: 'second',
      deletedRecords: 'no',
      earliestDatestamp: '2001-01-01T00:00:00Z',
    });
    const sloppy = identity().replace('Test &amp; Co', 'M&uuml;ller & S\u0003');
    expect(await (await asked(sloppy)).adapter.identify(signal)).toMatchObject({ name: 'Müller & S\uFFFD' });
  });

  test('fails by name', async () => {
    const failing = async (document: string) => (await asked(document)).adapter.identify(signal);
    await expect(failing('<html><body>Hello</body></html>')).rejects.toMatchObject({ code: 'upstream-html' });
    await expect(failing('<a/>')).rejects.toMatchObject({ code: 'upstream-protocol' });
    await expect(failing(identity().slice(0, -30))).rejects.toMatchObject({ code: 'upstream-cut-off' });
    const doctype = `<!DOCTYPE x [${'<!ENTITY a "b">'.repeat(6_000)}]>`;
    await expect(failing(identity().replace('?>', `?>${doctype}`))).rejects.toMatchObject({
      code: 'upstream-forbidden-doctype',
    });
    await expect(failing('')).rejects.toMatchObject({ code: 'upstream-cut-off' });
  });
});

describe('ListSets', () => {
  const specsOf = async (script: Script) => {
    const { adapter } = await open(script);
    const found = [];
    for await (const collection of adapter.collections(signal)) found.push(collection);
    return found;
  };
  const set = (spec: string) =>
    `<set><setSpec> ${spec} </setSpec><setName>Set ${spec}</setName><setDescription><oai_dc:dc ${oaiDc}><dc:description>007</dc:description></oai_dc:dc></setDescription></set>`;

  test('is read to its end, each set once', async () => {
    const found = await specsOf((query) =>
      query.has('resumptionToken')
        ? envelope(`<ListSets>${set('a')}${set('b')}</ListSets>`)
        : envelope(`<ListSets>${set('a')}<resumptionToken>t</resumptionToken></ListSets>`),
    );
    expect(found).toEqual([
      { spec: 'a', name: 'Set a', description: '007' },
      { spec: 'b', name: 'Set b', description: '007' },
    ]);
  });

  test('may not be there, in several ways', async () => {
    for (const document of [failure('noSetHierarchy'), failure('badVerb'), envelope('<ListSets/>')]) {
      expect(await specsOf(() => document)).toEqual([]);
    }
    await expect(specsOf(() => failure('badArgument'))).rejects.toMatchObject({ code: 'oai-error' });
    const loop = envelope(`<ListSets>${set('a')}<resumptionToken>t</resumptionToken></ListSets>`);
    await expect(specsOf(() => loop)).rejects.toMatchObject({ code: 'oai-token-loop' });
  });
});

describe('The formats of a run', () => {
  const verbs = (requests: readonly string[]) =>
    requests.map((request) => /verb=(\w+)/.exec(request)?.[1]).filter((verb) => verb !== 'ListRecords');

  test.each([1, 2])('are asked for once, %i requests at a time', async (requestsPerHost) => {
    const { adapter, requests } = await open(
      repository(() => list([record('a')])),
      undefined,
      requestsPerHost,
    );
    for (let run = 0; run < 2; run += 1) {
      await adapter.identify(signal);
      for await (const { items } of adapter.pages({ mode: 'full' }, signal)) expect(items).toHaveLength(1);
    }
    const both = ['Identify', 'ListMetadataFormats'];
    expect(verbs(requests).sort()).toEqual([...both, ...both].sort());
  });

  test('are asked for while the repository says who it is, where it takes several requests', async () => {
    let tell: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => {
      tell = resolve;
    });
    const { adapter } = await open(
      (query) => {
        if (query.get('verb') === 'Identify')
          return (response) => void asked.then(() => response.end(identity()));
        tell();
        return formats;
      },
      undefined,
      2,
    );
    expect(await adapter.identify(signal)).toMatchObject({
      name: 'Test & Co',
      formats: [{ name: 'oai_dc' }],
    });
  });

  test('do not matter where the repository does not say who it is', async () => {
    const script: Script = (query) =>
      query.get('verb') === 'Identify' ? failure('badVerb') : { status: 404, body: '' };
    const [one, two] = await Promise.all([1, 2].map((each) => open(script, undefined, each)));
    const [alone, together] = await Promise.all(
      [one, two].map((opened) => opened?.adapter.identify(signal).catch((error: unknown) => error)),
    );
    expect(alone).toMatchObject({ code: expect.any(String) });
    expect(together).toMatchObject({ code: (alone as { code: string }).code });
  });
});

describe('GetRecord', () => {
  test('merges the formats of one item', async () => {
    const { adapter, requests } = await open(
      (query) => {
        if (query.get('verb') === 'ListMetadataFormats') return failure('badVerb');
        expect(query.get('identifier')).toBe('a b/%41#ü');
        if (query.get('metadataPrefix') === 'oai_dc')
          return list([record('a b/%41#ü')]).replaceAll('ListRecords', 'GetRecord');
        return { status: 422, body: failure('cannotDisseminateFormat') };
      },
      ['oai_dc', 'mods'],
    );
    expect(await adapter.item('a b/%41#ü', signal)).toMatchObject({
      identifier: 'a b/%41#ü',
      speaksFor: { formats: ['oai_dc', 'mods'], files: undefined },
      deleted: false,
      metadata: [{ format: 'oai_dc' }],
    });
    expect(requests[1]).toContain('identifier=a%20b%2F%2541%23%C3%BC');
  });

  test('knows what does not exist, and what was deleted', async () => {
    const none = await open(() => ({ status: 404, body: failure('idDoesNotExist') }), ['oai_dc']);
    expect(await none.adapter.item('x', signal)).toBeUndefined();
    const gone = await open(
      () => list([record('x', undefined, ' status="deleted"')]).replaceAll('ListRecords', 'GetRecord'),
      ['oai_dc'],
    );
    expect(await gone.adapter.item('x', signal)).toMatchObject({ deleted: true, metadata: [] });
  });
});

test('A base URL keeps its own query, and empty arguments are left out', () => {
  const url = 'https://x.example/index.php?page=oai&';
  expect(requestUrl(url, 'ListRecords', { metadataPrefix: 'oai_dc', set: '', from: undefined })).toBe(
    'https://x.example/index.php?page=oai&verb=ListRecords&metadataPrefix=oai_dc',
  );
  expect(requestUrl('https://x.example/oai#top', 'ListSets', { resumptionToken: '22%3A45' })).toBe(
    'https://x.example/oai?verb=ListSets&resumptionToken=22%253A45',
  );
});
