import { PassThrough } from 'node:stream';
import type { RouteOptions } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createProgram } from '../../../src/cli/main.ts';
import { commandsOf } from '../../../src/cli/manual/command-tree.ts';
import { sourceActs } from '../../../src/server/admin/sources/source-forms.ts';
import { actions } from '../../../src/store/admin/audit.ts';
import { ask, signIn } from '../../house/server/dashboard.ts';
import { type FullDashboard, openFullDashboard } from '../../house/server/full-dashboard.ts';
import { type NoWay, type Ways, waysOf } from '../../house/server/ways.ts';

let full: FullDashboard;
const routes = new Map<string, { readonly method: string; readonly url: string; readonly schema: string }>();
/** All forms of all pages. */
let forms = '';

beforeAll(async () => {
  full = await openFullDashboard();
  const { house } = full;
  house.app.addHook('onRoute', ({ url, method, config, schema }: RouteOptions) => {
    if (!config?.acts || !/^\/(?:admin|api\/v1)(?:\/|$)/.test(url)) return;
    const told = JSON.stringify(schema?.body ?? '');
    routes.set(config.operationId ?? url, { method: [method].flat().join(), url, schema: told });
  });
  await house.app.ready();
  // Somebody else's session can be ended.
  await signIn(house, 'hanako');
  const cookie = await signIn(house);
  for (const path of [...full.pages, '/admin/sign-in', full.link]) {
    const answer = await ask(house, `/rs${path}`, { headers: path.includes('sign-in') ? {} : { cookie } });
    expect([path, answer.status]).toEqual([path, 200]);
    forms += (await answer.text()).match(/<form [^>]*method="post".*?<\/form>/gs)?.join('\n') ?? '';
  }
});
afterAll(() => full?.house.close());

const said = (way: readonly string[] | NoWay) => ('not' in way ? [] : way);
const all = (kind: keyof Ways) => Object.values(waysOf).flatMap((ways) => said(ways[kind]));
const idOf = (way: string) => way.split(' ')[0] ?? '';

test('what is written into the audit log can be done in three ways, or it is said why not', () => {
  expect(Object.keys(waysOf).sort()).toEqual([...actions].sort());
  for (const ways of Object.values(waysOf))
    for (const way of Object.values(ways) as (readonly string[] | NoWay)[])
      expect(('not' in way ? way.not : way).length).toBeGreaterThan(0);
});

test('each form and each route of the API that acts is one of these ways, and is there', () => {
  const named = new Set([...all('form'), ...all('api')].map(idOf));
  expect([...routes.keys()].sort()).toEqual([...named].sort());
  for (const way of all('form'))
    expect([way, routes.get(idOf(way))?.url]).toEqual([way, expect.stringMatching(/^\/admin/)]);
  for (const way of all('api'))
    expect([way, routes.get(idOf(way))?.url]).toEqual([way, expect.stringMatching(/^\/api\/v1/)]);
});

test('what one route does of several is in its form, and in the schema of its body', () => {
  const acts = all('form')
    .filter((way) => way.startsWith('actOnSources '))
    .map((way) => way.split(' ')[1]);
  expect(acts.sort()).toEqual([...sourceActs].sort());
  for (const act of acts) expect(forms).toContain(`name="act" value="${act}"`);
  for (const way of all('api')) {
    const [id = '', word] = way.split(' ');
    if (word !== undefined)
      expect([way, routes.get(id)?.schema]).toEqual([way, expect.stringContaining(`"${word}"`)]);
  }
});

test('a form of each stands on a page', () => {
  const places = [...forms.matchAll(/<form [^>]*method="post" action="\/rs([^"]+)"/g)].map(
    ([, place = '']) => place,
  );
  for (const [id, { url }] of routes) {
    if (!url.startsWith('/admin')) continue;
    const pattern = new RegExp(`^${url.replace(/:\w+/g, '[^/]+')}$`);
    expect([id, places.some((place) => pattern.test(place))]).toEqual([id, true]);
  }
});

test('each command is there, with the option that means it', () => {
  const io = { stdout: new PassThrough(), stderr: new PassThrough(), env: {}, cwd: '.' };
  const { signal } = new AbortController();
  const program = createProgram({ ...io, stop: signal, abort: signal }, () => undefined);
  const known = new Map(
    commandsOf(program).map(({ words, options }) => [words.join(' '), options.map(({ long }) => long)]),
  );
  for (const way of all('command')) {
    const [words = '', option] = way.split(/ (?=--)/);
    expect([way, known.get(words)]).toEqual([
      way,
      option === undefined ? expect.anything() : expect.arrayContaining([option]),
    ]);
  }
});
