import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { forgetSecrets } from '../../../src/core/secrets.ts';
import { envelope, provide, record } from '../../house/adapters/scripted-provider.ts';
import { runMain } from '../../house/cli/run-main.ts';

let directory: string;
beforeEach(() => {
  forgetSecrets();
  directory = mkdtempSync(join(tmpdir(), 'rsbridge-secrets-'));
});
afterEach(() => {
  forgetSecrets();
  rmSync(directory, { recursive: true, force: true });
});

const secret = 'tr0ub4dor&3 /ü';
const env = { OAI_SECRET: secret, OAI_KEY: 'tr0ub4dor-two', OAI_HOST: '127.0.0.1' };
const traces = [secret, encodeURIComponent(secret), 'tr0ub4dor'];

function leaks(text: string): boolean {
  return traces.some((trace) => text.toLowerCase().includes(trace.toLowerCase()));
}

/** Everything under a directory, unpacked. */
function filesOf(path: string): string[] {
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .map((name) => join(path, name))
    .filter((file) => statSync(file).isFile())
    .map((file) => (file.endsWith('.gz') ? gunzipSync(readFileSync(file)) : readFileSync(file)).toString());
}

function repository(broken: boolean) {
  return provide((query, _, url) => {
    if (broken) return { status: 500, body: `the key of ${url} is wrong` };
    switch (query.get('verb')) {
      case 'Identify':
        return envelope(
          `<Identify><repositoryName>Scripted</repositoryName><baseURL>http://repo.example.org${url.replaceAll('&', '&amp;')}</baseURL><protocolVersion>2.0</protocolVersion><adminEmail>a@example.org</adminEmail><earliestDatestamp>2020-01-01T00:00:00Z</earliestDatestamp><deletedRecord>no</deletedRecord><granularity>YYYY-MM-DDThh:mm:ssZ</granularity></Identify>`,
        );
      case 'ListMetadataFormats':
        return envelope(
          '<ListMetadataFormats><metadataFormat><metadataPrefix>oai_dc</metadataPrefix><schema>http://www.openarchives.org/OAI/2.0/oai_dc.xsd</schema><metadataNamespace>http://www.openarchives.org/OAI/2.0/oai_dc/</metadataNamespace></metadataFormat></ListMetadataFormats>',
        );
      case 'ListSets':
        return envelope('<error code="noSetHierarchy">no sets</error>');
      default:
        return envelope(`<ListRecords>${record('oai:a:1')}${record('oai:a:2')}</ListRecords>`);
    }
  });
}

function configure(url: string): void {
  const { port, pathname } = new URL(url);
  const yaml = [
    'logLevel: debug',
    'sources:',
    '  repo:',
    `    url: "http://\${OAI_HOST}:${port}${pathname}?k=\${OAI_SECRET}"`,
    `    headers: { X-Key: "Bearer \${OAI_KEY}" }`,
  ];
  writeFileSync(join(directory, 'rsbridge.yaml'), yaml.join('\n'));
}

async function everything(...commands: string[][]): Promise<string> {
  const outcomes = [];
  for (const command of commands) outcomes.push(await runMain(directory, command, env));
  return outcomes.map(({ stdout, stderr }) => stdout + stderr).join('\n');
}

describe('a secret of the environment', () => {
  test('is in nothing that is said, published or exported', async () => {
    const { url, requests } = await repository(false);
    configure(url);
    const out = join(directory, 'out');
    const said = await everything(['check'], ['harvest'], ['status', '--json'], ['publish'], ['export', out]);
    // It was sent, and the record has come.
    expect(requests.some((request) => request.includes('tr0ub4dor'))).toBe(true);
    expect(said).toMatch(/2 created/);
    expect(leaks(said)).toBe(false);
    const published = [...filesOf(join(directory, 'data', 'publication')), ...filesOf(out)];
    expect(published.some((text) => text.includes('oai:a:1'))).toBe(true);
    expect(published.filter(leaks)).toEqual([]);
    expect(published.filter((text) => /rel="via"/.test(text))).toEqual([]);
    // A host is no secret.
    expect(said).toContain('127.0.0.1');
  });

  test('is not in what is said of a failure', async () => {
    const { url } = await repository(true);
    configure(url);
    const said = await everything(
      ['check'],
      ['harvest'],
      ['harvest', '--json'],
      ['status'],
      ['status', '--json'],
    );
    expect(said).toContain('500');
    expect(leaks(said)).toBe(false);
  });

  test('is not in what is said of a wrong configuration', async () => {
    const yaml = `sources: { repo: { url: "https://repo.example.org/", headers: { X-Key: "\${OAI_SECRET}" } } }`;
    writeFileSync(join(directory, 'rsbridge.yaml'), yaml);
    const said = await everything(['check'], ['harvest', '--json']);
    expect(said).toContain('sources.repo.headers.X-Key');
    expect(leaks(said)).toBe(false);
  });
});
