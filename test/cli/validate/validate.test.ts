import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { directory, findingsOf, run, source, useSmallSource } from '../../house/cli/validated-source.ts';
import { valid } from '../../house/conformance/documents.ts';
import type { Answer, SmallSource } from '../../house/conformance/small-source.ts';
import { binary } from '../../house/process/script.ts';

useSmallSource();

describe('rsbridge validate', () => {
  test('a Source that is right has no finding, and everything was looked at', async () => {
    const { code, findings, summary } = await findingsOf();
    expect(findings).toEqual([]);
    expect(code).toBe(0);
    expect(summary).toMatchObject({
      documents: 13,
      sampled: 4,
      packages: 2,
      errors: 0,
      warnings: 0,
      notes: [],
    });
    for (const path of ['/r/1', '/r/4', '/r/9', '/timegate/1', '/mirror/1', '/rd-1.zip', '/robots.txt']) {
      expect(source.asked, path).toContain(path);
    }
  });

  test('for people: a sentence, or findings by document with every rule that names a defect', async () => {
    expect(await run(source.origin)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^13 documents with \d+ entries, .*: no errors, no warnings\.\n$/),
    });
    source.edit('/cl-2.xml', / from="[^"]*"/, '');
    const { code, stdout } = await run(source.origin);
    expect(code).toBe(4);
    expect(stdout).toContain(`${source.origin}/cl-2.xml (urlset of changelist, 1 entry)`);
    expect(stdout).toContain('  error   RS-CL-02 RS-A-06  document: from is missing');
    expect(stdout).toMatch(/\nwhat a rule asks, .+: docs\/conformance\.md#rs-[a-z]+-\d\d\n/);
    expect(stdout).toMatch(/\d errors, \d warnings?\.\n$/);
  });

  test('--strict makes warnings count, --no-follow reads one document, --sample 0 no resource', async () => {
    source.edit('/rl-1.xml', '<?xml version="1.0" encoding="UTF-8"?>\n', '');
    expect((await run(source.origin)).code).toBe(0);
    expect((await run(source.origin, '--strict')).code).toBe(4);
    source.asked.length = 0;
    expect((await run(`${source.origin}/cap.xml`, '--no-follow')).code).toBe(0);
    expect(source.asked).toEqual(['/cap.xml']);
    await run(source.origin, '--sample', '0', '--packages', '0');
    expect(source.asked.filter((path) => /^\/r\/|zip$/.test(path))).toEqual([]);
  });

  test('from any document of a Source the same is found', async () => {
    for (const path of ['/cap.xml', '/rl-2.xml', '/cl.xml', '/cdm.xml', '/']) {
      const { code, stdout } = await run(`${source.origin}${path}`);
      expect(code, `${path}: ${stdout}`).toBe(0);
      expect(stdout).toContain('13 documents');
    }
  });

  test('a file is judged alone, and so is what comes by the standard input', async () => {
    writeFileSync(join(directory, 'list.xml'), valid.RL);
    expect(await run('list.xml')).toMatchObject({
      code: 0,
      stdout: '1 document with 2 entries: no errors, no warnings.\n',
    });
    writeFileSync(join(directory, 'broken.xml'), valid.RL.replace(/ at="[^"]*"/, ''));
    expect(await run('broken.xml')).toMatchObject({
      code: 4,
      stdout: expect.stringContaining('RS-RL-02 RS-A-01  document: at is missing'),
    });
    const child = spawn(process.execPath, [binary(), 'validate', '-', '--json']);
    child.stdin.end(valid.CL.replace(' change="created"', ''));
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    const code = await new Promise((resolve) => child.once('close', resolve));
    expect(code).toBe(4);
    expect(text).toContain('"rule":"RS-CL-11","severity":"error","uri":"-"');
  });

  test('what is no address, what cannot be reached and what is no Source are told apart', async () => {
    for (const address of ['none.xml', './none.xml', '/nowhere/none.xml', 'x/y']) {
      expect(await run(address)).toMatchObject({ code: 2, stderr: expect.stringContaining('no such file') });
    }
    expect(await run(directory)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('is a directory'),
    });
    expect(await run('no address')).toMatchObject({ code: 2, stderr: expect.stringContaining('[usage]') });
    expect(await run('http://127.0.0.1:1/')).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('[upstream-unreachable]'),
    });
    source.answers.delete('/.well-known/resourcesync');
    const { code, rules } = await findingsOf();
    expect(code).toBe(4);
    expect(rules).toEqual(new Set(['RS-DISC-01', 'RS-DISC-02']));
  });
});

type Break = (source: SmallSource) => void;
const answer = (path: string, headers: Record<string, string>, body?: string | Buffer): Break => {
  return ({ answers }) => {
    const before = answers.get(path);
    answers.set(path, { ...before, headers: { ...before?.headers, ...headers }, ...(body ? { body } : {}) });
  };
};
const gone =
  (path: string): Break =>
  (broken) =>
    broken.answers.delete(path);
const edit =
  (...given: Parameters<SmallSource['edit']>): Break =>
  (broken) =>
    broken.edit(...given);
const repack =
  (...given: Parameters<SmallSource['repack']>): Break =>
  (broken) =>
    broken.repack(...given);
const both =
  (...breaks: Break[]): Break =>
  (broken) => {
    for (const step of breaks) step(broken);
  };
const other = 'a'.repeat(64);

test.each<[rule: string, what: string, damage: Break]>([
  ['RS-GEN-19', 'a document that ends early', edit('/rl-1.xml', '</urlset>', '')],
  ['RS-GEN-27', 'a document as text/html', answer('/cap.xml', { 'content-type': 'text/html' })],
  ['RS-NAV-05', 'a list that says it is another', edit('/rd.xml', '"resourcedump"', '"resourcelist"')],
  ['RS-CAP-07', 'a Resource List that is not there', gone('/rl.xml')],
  ['RS-RLI-06', 'a part that is not there', gone('/rl-2.xml')],
  ['RS-CLI-05', 'a Change List that is not there', gone('/cl-1.xml')],
  ['RS-SD-04', 'a Capability List that is not there', gone('/cap.xml')],
  ['RS-NAV-03', 'a part without its index', edit('/rl-2.xml', /<rs:ln rel="index"[^>]*>/, '')],
  ['RS-RLI-08', 'another at', edit('/rl-2.xml', 'at="2026-01-02', 'at="2026-01-03')],
  [
    'RS-CL-16',
    'a gap',
    both(
      edit('/cl.xml', /from="2026-01-02/, 'from="2026-01-03'),
      edit('/cl-2.xml', 'from="2026-01-02', 'from="2026-01-03'),
    ),
  ],
  ['RS-RLI-09', 'a resource in two lists', edit('/rl-2.xml', '/r/3<', '/r/2<')],
  [
    'RS-CAP-11',
    'a resource that the dump has not',
    edit('/rl-2.xml', '</urlset>', '<url><loc>http://example.org/5</loc></url></urlset>'),
  ],
  ['RS-CAP-12', 'a change that the list does not show', edit('/cl-1.xml', '/r/4<', '/r/5<')],
  ['RS-RL-12', 'what was deleted is listed', edit('/cl-1.xml', '/r/9<', '/r/3<')],
  ['RS-CAP-13', 'a manifest that has other changes', edit('/cl-1.xml', '"created"', '"updated"')],
  ['RS-ATTR-09', 'another content of the same length', answer('/r/3', {}, 'That is resource 3.\n')],
  ['RS-ATTR-10', 'another length', answer('/r/3', {}, 'This is all.\n')],
  ['RS-ATTR-11', 'another length', answer('/r/3', {}, 'This is all.\n')],
  ['RS-ATTR-15', 'another type', answer('/r/3', { 'content-type': 'text/html' })],
  [
    'RS-ATTR-07',
    'a coding that nobody asked for',
    ({ answers }) =>
      answers.set('/r/3', {
        headers: { 'content-type': 'text/plain', 'content-encoding': 'gzip' },
        body: gzipSync('This is resource 3.\n'),
      }),
  ],
  [
    'RS-TIME-11',
    'another Last-Modified',
    answer('/r/3', { 'last-modified': 'Thu, 01 Jan 2026 10:00:00 GMT' }),
  ],
  ['RS-RL-12', 'a resource that is gone', gone('/r/3')],
  ['RS-CL-18', 'what was deleted still answers', ({ answers }) => answers.set('/r/9', { body: 'here' })],
  ['RS-DISC-06', 'a Link to something else', answer('/r/3', { link: '</rl.xml>; rel="resourcesync"' })],
  [
    'RS-DISC-04',
    'a page that links to something else',
    answer(
      '/r/3',
      { 'content-type': 'text/html' },
      '<html><head><link rel="resourcesync" href="/rl.xml"></head></html>',
    ),
  ],
  [
    'RS-DISC-13',
    'a Link twice',
    answer('/r/3', { link: '</cap.xml>; rel="resourcesync", </cap.xml>; rel=resourcesync' }),
  ],
  ['RS-DISC-09', 'a relative sitemap', answer('/robots.txt', {}, 'Sitemap: /rl.xml\n')],
  [
    'RS-DISC-12',
    'a Change List for crawlers',
    ({ origin, answers }) => answers.set('/robots.txt', { body: `Sitemap: ${origin}/cl.xml\n` }),
  ],
  ['RS-LN-06', 'a mirror that differs', answer('/mirror/1', {}, 'This is something else.\n')],
  [
    'RS-LN-19',
    'a memento without Memento-Datetime',
    ({ answers }) => answers.set('/r/1-memento', answers.get('/r/1') ?? {}),
  ],
  [
    'RS-LN-20',
    'a memento of another time',
    answer('/r/1-memento', { 'memento-datetime': 'Thu, 01 Jan 2026 10:00:00 GMT' }),
  ],
  ['RS-LN-18', 'a memento of another resource', answer('/r/1-memento', { link: '</r/2>; rel="original"' })],
  [
    'RS-LN-18',
    'a loc that is a memento',
    answer('/r/1', { 'memento-datetime': 'Wed, 31 Dec 2025 10:00:00 GMT' }),
  ],
  ['RS-LN-19', 'a memento of nothing', answer('/r/1-memento', { link: '</timegate/1>; rel="timegate"' })],
  ['RS-LN-19', 'a memento that is not there', gone('/r/1-memento')],
  [
    'RS-LN-22',
    'a TimeGate that leads elsewhere',
    ({ answers }) => {
      const headers = { ...answers.get('/r/1-memento')?.headers };
      const other = { ...headers, 'memento-datetime': 'Tue, 30 Dec 2025 10:00:00 GMT' };
      answers.set('/timegate/1', { headers: other });
    },
  ],
  ['RS-LN-22', 'a TimeGate that knows no time', ({ answers }) => answers.set('/timegate/1', {})],
  ['RS-ATTR-22', 'a memento of another content', answer('/r/1-memento', {}, 'That is resource 1.\n')],
  ['RS-LN-22', 'a TimeGate that is not there', gone('/timegate/1')],
  ['RS-LN-24', 'a TimeMap of another type', answer('/timemap/1', { 'content-type': 'text/html' })],
  ['RS-LN-24', 'a TimeMap that is not there', gone('/timemap/1')],
  ['RS-LN-24', 'a TimeMap without the memento', answer('/timemap/1', {}, '</r/1>; rel="original"\n')],
  [
    'RS-LN-24',
    'a TimeMap that dates the memento otherwise',
    ({ answers }) => {
      const { headers, body } = answers.get('/timemap/1') ?? {};
      answers.set('/timemap/1', { headers, body: String(body).replace('31 Dec', '30 Dec') } as Answer);
    },
  ],
  ['RS-RD-06', 'a package that is not there', gone('/rd-1.zip')],
  ['RS-RD-08', 'another length of the package', edit('/rd.xml', / length="\d+"/, ' length="7"')],
  ['RS-RD-10', 'another hash of the package', edit('/rd.xml', /sha-256:\w+/, `sha-256:${other}`)],
  ['RS-RD-12', 'a copy that is not there', gone('/rdm.xml')],
  ['RS-RD-12', 'a copy that differs', edit('/rdm.xml', '/r/1<', '/r/11<')],
  ['RS-CD-09', 'a copy that differs', edit('/cdm.xml', 'T10:00', 'T10:01')],
  ['RS-RD-13', 'a package that is no ZIP', answer('/rd-1.zip', {}, 'Rar!')],
  ['RS-CD-10', 'a package that is no ZIP', answer('/cd-1.zip', {}, 'Rar!')],
  ['RS-RDM-01', 'a package that is damaged', answer('/rd-1.zip', {}, 'PK\u0003\u0004 and no more')],
  ['RS-RDM-01', 'no manifest', repack('/rd-1.zip', { 'manifest.xml': undefined })],
  ['RS-CDM-01', 'no manifest', repack('/cd-1.zip', { 'manifest.xml': undefined })],
  [
    'RS-RDM-02',
    'a manifest in a folder',
    repack('/rd-1.zip', { 'manifest.xml': undefined, 'dump/manifest.xml': 'x' }),
  ],
  ['RS-RDM-03', 'a manifest of the other kind', repack('/rd-1.zip', { 'manifest.xml': valid.CDM })],
  [
    'RS-RDM-05',
    'a manifest under another Capability List',
    repack('/rd-1.zip', { 'manifest.xml': valid.RDM }),
  ],
  ['RS-RDM-04', 'another at than the dump says', edit('/rd.xml', /(zip"[^>]*at="2026-01-0)2/, '$13')],
  ['RS-RDM-06', 'a path that leads nowhere', repack('/rd-1.zip', { 'r/2': undefined })],
  ['RS-ATTR-13', 'a path that leads nowhere', repack('/rd-1.zip', { 'r/2': undefined })],
  ['RS-RDM-06', 'a member without a path', repack('/rd-1.zip', { 'extra.txt': 'x' })],
  ['RS-CDM-04', 'a member without a path', repack('/cd-1.zip', { 'extra.txt': 'x' })],
  ['RS-RDM-11', 'a member that differs', repack('/rd-1.zip', { 'r/2': 'That is resource 2.\n' })],
  ['AR-05', 'an archive of something else', edit('/cla.xml', '/cl-1.xml', '/rd.xml')],
  ['AR-08', 'an archive with another interval', edit('/cla.xml', 'from="2026', 'from="2025')],
])('%s over HTTP: %s', async (rule, _, damage) => {
  damage(source);
  const { findings, rules, stderr } = await findingsOf();
  expect([...rules], JSON.stringify({ findings, stderr }, undefined, 1)).toContain(rule);
  expect(rules.size, JSON.stringify(findings, undefined, 1)).toBeLessThan(9);
});
