import { afterEach, describe, expect, it } from 'vitest';
import { decideIdentifiers } from '../../../../adapters/dspace/rest/oai-host.ts';
import { openRestService } from '../../../../adapters/dspace/rest/rest-service.ts';
import type { AdapterSettings } from '../../../../src/core/adapter.ts';
import { createContext } from '../../../house/adapters/http-double.ts';
import {
  html,
  type Route,
  type RoutedServer,
  rootJson,
  serveRoutes,
} from '../../../house/adapters/routed-server.ts';

const { signal } = new AbortController();
const uuid = '0a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d';
const servers: RoutedServer[] = [];

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

interface Told {
  readonly settings?: Partial<AdapterSettings>;
  readonly known?: string;
  readonly list?: string;
  readonly identify?: string;
  readonly context?: ReturnType<typeof createContext>;
}

async function decide({ settings, known, list, identify, context = createContext() }: Told) {
  const oai: Route = ({ url }) => {
    const body = url.searchParams.get('verb') === 'Identify' ? identify : list;
    return body === undefined
      ? { ...html, status: 404 }
      : { text: body, headers: { 'content-type': 'text/xml' } };
  };
  const server = await serveRoutes({ '/server/api': { json: rootJson() }, '/server/oai/request': oai });
  servers.push(server);
  const url = `${server.origin}/server/api`;
  const rest = await openRestService({ url }, context, signal);
  const all = { url, overlapSeconds: 0, requestsPerHost: 1, files: undefined, ...settings };
  const knowing = { ...context, knownIdentifier: async () => known };
  const identifierOf = await decideIdentifiers(rest, all, knowing, signal);
  return { identifierOf, server, context, named: identifierOf('10986/42', uuid) };
}

const listed = (identifier: string) =>
  `<?xml version="1.0"?><OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><ListIdentifiers><header><identifier>${identifier}</identifier></header></ListIdentifiers></OAI-PMH>`;
const described =
  '<o:OAI-PMH xmlns:o="u"><o:Identify><o:description><i:oai-identifier xmlns:i="v"><i:repositoryIdentifier>described.example.org</i:repositoryIdentifier></i:oai-identifier></o:description></o:Identify></o:OAI-PMH>';

describe('the host in the names of items', () => {
  it('is the configured one', async () => {
    const { named, server } = await decide({
      settings: { identity: 'oai:own.example.org' },
      known: 'oai:k.org:1/2',
    });
    expect(named).toBe('oai:own.example.org:10986/42');
    expect(server.lines).toHaveLength(1);
  });

  it('is the one in store also where it has an underscore, as the adapter of DSpace 5 and 6 may have named it', async () => {
    const { named } = await decide({ known: 'oai:my_repo.example.org:1/2', list: listed('oai:x.org:1/2') });
    expect(named).toBe('oai:my_repo.example.org:10986/42');
  });

  it('is the one in store, whichever adapter brought it', async () => {
    const { named, server } = await decide({
      known: 'oai:known.example.org:1/2',
      list: listed('oai:x.org:1/2'),
    });
    expect(named).toBe('oai:known.example.org:10986/42');
    expect(server.lines).toHaveLength(1);
  });

  it('is that of a record of the OAI-PMH endpoint, and remembered', async () => {
    const { named, context } = await decide({
      known: uuid,
      list: listed('oai:x.example.org:1/2'),
      identify: described,
    });
    expect(named).toBe('oai:x.example.org:10986/42');
    const again = await decide({ context });
    expect(again.named).toBe(named);
    expect(again.server.lines).toHaveLength(1);
  });

  it('is what the endpoint says of itself, where it has no records', async () => {
    const { named } = await decide({
      list: '<OAI-PMH><error code="noRecordsMatch"/></OAI-PMH>',
      identify: described,
    });
    expect(named).toBe('oai:described.example.org:10986/42');
  });

  it.each([
    ['a page for people', '<html><p>identifier<br></html>'],
    ['nonsense', listed('oai:not a host:1/2')],
    ['a document that was cut off', listed('oai:x.example.org:1/2').slice(0, -20)],
    ['entities', `<!DOCTYPE x [<!ENTITY e "oai:evil.org:1/2">]>${listed('&e;')}`],
  ])('is that of the pages for people, where the endpoint answers with %s', async (_what, list) => {
    const { named, context } = await decide({ list });
    expect(named).toBe('oai:repo.example.org:10986/42');
    expect(context.lessons.get('oai-host')).toBe('repo.example.org');
  });

  it('is not asked for where the endpoint is not to be used', async () => {
    const { named, server } = await decide({ settings: { oaiUrl: false }, list: listed('oai:x.org:1/2') });
    expect(named).toBe('oai:repo.example.org:10986/42');
    expect(server.lines).toHaveLength(1);
  });

  it('is not guessed while a configured endpoint is down', async () => {
    const deciding = decide({ settings: { oaiUrl: 'http://127.0.0.1:1/oai/request' } });
    await expect(deciding).rejects.toMatchObject({ code: 'upstream-unreachable', retryable: true });
  });
});

describe('an item', () => {
  it('goes by its UUID where it has no handle, or none that can be written down', async () => {
    const { identifierOf } = await decide({});
    expect(identifierOf(undefined, uuid)).toBe(uuid);
    expect(identifierOf('1/2 3', uuid)).toBe(uuid);
    expect(identifierOf('1/\u0000', uuid)).toBe(uuid);
  });

  it('goes by its UUID where that is wanted', async () => {
    const { named, server } = await decide({ settings: { identity: 'uuid' }, known: 'oai:k.org:1/2' });
    expect(named).toBe(uuid);
    expect(server.lines).toHaveLength(1);
  });
});
