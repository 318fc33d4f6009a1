// `npm run release -- VERSION [--dry-run] [--without-install]`: makes a release of what is committed, and hands out nothing by itself.
// It sets the version everywhere, closes the CHANGELOG with the schema of the database, checks the package as it is installed, writes it with its
// list of parts (SBOM, CycloneDX) into release/, builds the container where there is a builder, commits and tags.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const flags = process.argv.slice(2).filter((argument) => argument.startsWith('--'));
const [version, ...surplus] = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const isDry = flags.includes('--dry-run');

const say = (text) => process.stdout.write(`${text}\n`);
const read = (...path) => readFileSync(join(root, ...path), 'utf8');
const run = (command, args, options) =>
  execFileSync(command, args, { cwd: root, encoding: 'utf8', ...options });

function refuse(why) {
  process.stderr.write(`No release: ${why}\n`);
  process.exit(1);
}

/** `--omit dev` of npm leaves out what packages for development need, too, such as `pg`: so all are listed, and those left out by their mark. */
function listParts() {
  const args = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'];
  const whole = JSON.parse(run('npm', args, { maxBuffer: 64 * 2 ** 20 }));
  const isOurs = ({ properties = [] }) =>
    !properties.some(({ name }) => name === 'cdx:npm:package:development');
  const components = whole.components.filter(isOurs);
  const refs = new Set([whole.metadata.component, ...components].map((part) => part['bom-ref']));
  const dependencies = whole.dependencies
    .filter(({ ref }) => refs.has(ref))
    .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((one) => refs.has(one)) }));
  return { ...whole, components, dependencies };
}

const numbersOf = (text) => /^(\d+)\.(\d+)\.(\d+)(?:-([0-9A-Za-z.-]+))?$/.exec(text);

/** Whether `a` comes before `b`; of two with the same numbers, what is marked (`-rc.1`) comes first. */
function comesBefore(a, b) {
  const [, ...x] = numbersOf(a);
  const [, ...y] = numbersOf(b);
  for (const place of [0, 1, 2]) if (x[place] !== y[place]) return Number(x[place]) < Number(y[place]);
  if (x[3] === undefined || y[3] === undefined) return x[3] !== undefined && y[3] === undefined;
  return x[3].localeCompare(y[3], 'en', { numeric: true }) < 0;
}

const before = JSON.parse(read('package.json')).version;
const unknown = flags.filter((flag) => !['--dry-run', '--without-install'].includes(flag));
if (!version || surplus.length > 0 || unknown.length > 0)
  refuse('say `npm run release -- VERSION`, such as 0.2.0; --dry-run changes nothing');
if (!numbersOf(version)) refuse(`${version} is no version; three numbers, such as 0.2.0 or 1.0.0-rc.1`);
if (!comesBefore(before, version) && before !== version)
  refuse(`${version} comes before ${before}, which is there already`);
if (run('git', ['tag', '--list', `v${version}`]).trim()) refuse(`v${version} is tagged already`);
if (run('git', ['status', '--porcelain']).trim())
  refuse('there is something that is not committed (`git status`)');

const changelog = read('CHANGELOG.md');
const [, news = ''] = /^## Unreleased\n(.*?)(?=^## |(?![\s\S]))/ms.exec(changelog) ?? [];
if (!news.trim()) refuse('CHANGELOG.md has nothing below `## Unreleased`');

const schema = readdirSync(join(root, 'migrations'))
  .filter((file) => file.endsWith('.ts'))
  .sort()
  .at(-1)
  .replace(/\.ts$/, '');
const day = new Date().toISOString().slice(0, 10);
const notes = `Database schema: ${schema}. Make a backup, then start this release: it takes the database over in place
([docs/backup.md](docs/backup.md#upgrading)); processes of the release before may go on beside it unless something else is said below.
`;
const section = `## ${version} (${day})\n\n${notes}\n${news.trim()}\n`;

say(`${before} → ${version}, schema ${schema}`);
if (!isDry) {
  run('npm', ['version', version, '--no-git-tag-version', '--allow-same-version', '--ignore-scripts']);
  const inPlace = (path, change) => writeFileSync(join(root, path), change(read(path)));
  inPlace('CHANGELOG.md', (text) =>
    text.replace(/^## Unreleased\n.*?(?=^## |(?![\s\S]))/ms, `## Unreleased\n\n${section}\n`),
  );
  inPlace('deploy/kubernetes/kustomization.yaml', (text) => text.replace(/newTag: .*/, `newTag: ${version}`));
}

if (flags.includes('--without-install')) say('the package is not tried');
else run('node', ['.ci/installed.mjs'], { stdio: 'inherit' });

const place = join(root, 'release');
const sbom = listParts();
say(`${sbom.components.length} parts in the SBOM`);
if (!isDry) {
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, `resourcesync-bridge-${version}.cdx.json`), `${JSON.stringify(sbom, null, 2)}\n`);
  run('npm', ['pack', '--pack-destination', place], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

const hasBuilder = spawnSync('docker', ['info'], { stdio: 'ignore' }).status === 0;
if (!hasBuilder) say('SKIPPED: no container is built, there is no builder here');
else if (!isDry)
  run('docker', ['build', '--file', 'deploy/Dockerfile', '--tag', `resourcesync-bridge:${version}`, '.'], {
    stdio: 'inherit',
  });

if (isDry) say(`Nothing was changed. The notes would be:\n\n${section}`);
else {
  run('git', ['commit', '--quiet', '--all', '--message', `release: ${version}`]);
  run('git', [
    'tag',
    '--annotate',
    `v${version}`,
    '--message',
    `${version}\n\n${news.trim()}`,
    '--cleanup=verbatim',
  ]);
  say(`v${version} is committed and tagged. To hand it out:
  git push --follow-tags
  npm publish --provenance release/resourcesync-bridge-${version}.tgz     # from CI, which npm trusts; no token is needed`);
}
