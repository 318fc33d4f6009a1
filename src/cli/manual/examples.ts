import type { Command } from 'commander';
import { type CommandNode, flat, treeOf } from './command-tree.ts';

/** What people type, by the words of the command; each with what it is for. A test says which command has none. */
export const examples: Readonly<Record<string, readonly (readonly [typed: string, why: string])[]>> = {
  init: [
    ['rsbridge init https://repo.example.ac.jp', 'find what can be harvested there, and write rsbridge.yaml'],
    [
      'rsbridge init https://repo.example.ac.jp --dry-run --verbose',
      'only look, and list every address that was tried',
    ],
  ],
  check: [
    ['rsbridge check', 'before the first harvest, and whenever something seems wrong'],
    ['rsbridge check --blobs', 'after a disk had errors'],
  ],
  doctor: [
    ['rsbridge doctor', 'what is wrong, and what to type about it'],
    [`rsbridge doctor --json | jq -c 'select(.severity == "error")'`, 'for a script'],
  ],
  harvest: [
    ['rsbridge harvest', 'what is new, of every source'],
    ['rsbridge harvest kyoto --full', 'everything of one source, to find deletions'],
    ['rsbridge harvest kyoto --by-serve', 'the running service reads it, at once'],
    ['rsbridge harvest kyoto --item oai:kyoto.example.ac.jp:1234', 'one record that was mended'],
  ],
  publish: [
    ['rsbridge publish', 'the documents of every set'],
    ['rsbridge publish kyoto --lists-only', 'of one source, without its dumps'],
  ],
  export: [
    ['rsbridge export /srv/www/rs', 'everything as files for any web server'],
    ['rsbridge export /tmp/then --at 2026-03-31', 'as it was at the end of the business year'],
  ],
  serve: [
    ['rsbridge serve', 'answer requests, harvest and publish on schedule'],
    ['rsbridge serve --role web --processes 4', 'only answer, by four processes'],
  ],
  'sources list': [['rsbridge sources list', 'where each source is configured']],
  'sources add': [
    ['rsbridge sources add https://repo.example.ac.jp --name kyoto', 'find its endpoint, and keep it'],
    ['rsbridge sources add https://repo.example.ac.jp --set files.mode=mirror', 'with a setting of its own'],
  ],
  'sources import': [
    ['rsbridge sources import irdb.csv --group jairo --dry-run', 'look at each of a list first'],
  ],
  'sources export': [['rsbridge sources export > sources.json', 'to import them elsewhere']],
  'sources show': [['rsbridge sources show kyoto', 'its settings, and where each comes from']],
  'sources edit': [
    ['rsbridge sources edit kyoto --set schedule=false', 'read it only when somebody asks for it'],
  ],
  'sources pause': [
    ['rsbridge sources pause kyoto --until monday --why "new server"', 'while its server is moved'],
  ],
  'sources stop': [['rsbridge sources stop kyoto', 'what is under way, after its page']],
  'sources resume': [['rsbridge sources resume kyoto', 'read it again']],
  'sources remove': [
    ['rsbridge sources remove kyoto', 'it is neither read nor served; what is stored of it stays'],
  ],
  'admin password': [['rsbridge admin password', 'of the account admin, as it is typed']],
  'admin link': [['rsbridge admin link --name hanako --scope run', 'to send to a colleague']],
  'admin accounts': [['rsbridge admin accounts', 'who may sign in']],
  'admin remove': [['rsbridge admin remove hanako', 'she is signed out, too']],
  'admin log': [['rsbridge admin log --find kyoto --since 2026-11-01', 'who did what with a source']],
  'admin sessions list': [['rsbridge admin sessions list', 'who is signed in, and from where']],
  'admin sessions end': [
    ['rsbridge admin sessions end Zk3…', 'by what the list calls it, when a laptop was lost'],
  ],
  'admin tokens list': [['rsbridge admin tokens list', 'which there are, and when each was used']],
  'admin tokens add': [
    ['rsbridge admin tokens add monitor --scope read --days 365', 'for a program that looks'],
  ],
  'admin tokens revoke': [['rsbridge admin tokens revoke 3', 'by the number that the list has']],
  'alert test': [['rsbridge alert test', 'before you rely on it']],
  'alert list': [['rsbridge alert list --limit 5', 'what is wrong, and whether you were told']],
  'subscriptions list': [['rsbridge subscriptions list', 'who is told of changes, and how that goes']],
  'subscriptions followed': [
    ['rsbridge subscriptions followed', 'which Sources are followed, and whether their hubs tell of changes'],
  ],
  'subscriptions add': [
    [
      'rsbridge subscriptions add https://search.example.ac.jp/changes --set kyoto',
      'a program of yours is told of each change',
    ],
  ],
  'subscriptions remove': [['rsbridge subscriptions remove 3', 'by the number that the list has']],
  'subscriptions test': [['rsbridge subscriptions test 3', 'it is sent a message now']],
  digest: [
    ['rsbridge digest kyoto --dry-run', 'what its contact is told each week'],
    ['rsbridge digest kyoto', 'the same, sent now'],
    ['rsbridge digest kyoto --revoke', 'the links in these mails show nothing any more'],
  ],
  reload: [['rsbridge reload', 'after rsbridge.yaml was changed']],
  status: [
    ['rsbridge status', 'what each source is doing'],
    ['rsbridge status --unhealthy', 'of hundreds, those that need attention'],
    ['rsbridge status --watch', 'the same every five seconds, until Ctrl-C'],
    ['rsbridge status --at 2026-03-31', 'what each source held then'],
    [`rsbridge status --json | jq -r 'select(.healthy | not) | .name'`, 'the names of those with problems'],
  ],
  healthcheck: [['rsbridge healthcheck --timeout 2', 'for a container']],
  problems: [
    ['rsbridge problems kyoto', 'records that could not be read, and why'],
    [
      'rsbridge problems kyoto --item oai:kyoto.example.ac.jp:1234',
      'one of them, with the record as it came',
    ],
    ['rsbridge problems kyoto --csv > problems.csv', 'for those who mend them'],
    ['rsbridge problems kyoto --try-again', 'when the repository has mended them'],
  ],
  quality: [
    ['rsbridge quality kyoto', 'what its records lack for IRDB or OpenAIRE, and in how many of them'],
    ['rsbridge quality kyoto --csv > quality.csv', 'each record, for those who mend them'],
  ],
  crosswalk: [
    [
      'rsbridge crosswalk kyoto oai:repo.example.org:1234/56 --to jpcoar_2.0',
      'its fields, beside what they become',
    ],
  ],
  log: [
    ['rsbridge log --level warn --since 2026-11-21', 'what went wrong since then'],
    ['rsbridge log --source kyoto --follow', 'what is said of a source, as it comes'],
  ],
  runs: [
    ['rsbridge runs kyoto', 'what was done with a source, the newest first'],
    ['rsbridge runs kyoto --counts', 'whether it grows, and whether anything is missing'],
    ['rsbridge runs kyoto --compare 12', 'why it took longer than the run before'],
  ],
  vanished: [
    ['rsbridge vanished kyoto', 'before you accept deletions'],
    ['rsbridge vanished kyoto --reject 812', 'what run 812 did not find stays published'],
  ],
  refused: [['rsbridge refused kyoto', 'before you accept that files are deleted']],
  withdraw: [
    [
      'rsbridge withdraw https://rs.example.ac.jp/kyoto/items/1234 --reason "court order"',
      'a whole item, at once',
    ],
  ],
  restore: [
    ['rsbridge restore https://rs.example.ac.jp/kyoto/items/1234', 'what was withdrawn is published again'],
    ['rsbridge restore /backup/rsbridge.db', 'the database is replaced by a backup'],
  ],
  remove: [['rsbridge remove kyoto --dry-run', 'what would go of a source that is not configured any more']],
  'storage show': [['rsbridge storage show', 'before a disk is full']],
  'storage migrate': [['rsbridge storage migrate', 'after `storage` was changed']],
  history: [
    ['rsbridge history https://rs.example.ac.jp/kyoto/items/1234', 'its versions, and what changed last'],
    ['rsbridge history https://rs.example.ac.jp/kyoto/items/1234 --diff 1..3', 'between two of them'],
  ],
  backup: [['rsbridge backup /backup/rsbridge.db --force', 'each night, while everything runs']],
  validate: [
    ['rsbridge validate https://rs.example.ac.jp', 'somebody’s publication, or your own'],
    ['rsbridge validate resourcelist.xml --no-follow', 'one document'],
    ['rsbridge validate --oai https://repo.example.ac.jp/oai', 'somebody’s OAI-PMH endpoint, or your own'],
    [
      'rsbridge validate --oai https://repo.example.ac.jp/oai --profile irdb',
      'by what IRDB asks for, before you register it there',
    ],
  ],
  simulate: [
    ['rsbridge simulate', 'a Source of 1000 resources at http://localhost:8888, a change every two seconds'],
    ['rsbridge simulate --seed 7 --rate 5 --faults cut,busy:0.3', 'the same again each time, with faults'],
    ['rsbridge simulate --list-faults', 'what can be wrong with it'],
  ],
  sync: [
    [
      'rsbridge sync https://rs.example.ac.jp/kyushu copy',
      'everything the first time, then what has changed',
    ],
    [
      'rsbridge sync https://rs.example.ac.jp/kyushu copy --dry-run',
      'what would be fetched and deleted, and why',
    ],
    [
      'rsbridge sync https://rs.example.ac.jp copy --set kyushu --only metadata --ndjson',
      'the metadata of one of several sets, with a line for each change',
    ],
    ['rsbridge sync https://rs.example.ac.jp/kyushu copy --audit', 'compare everything, now and then'],
  ],
  demo: [['rsbridge demo --port 8081', 'a sample repository that keeps changing']],
  completion: [
    ['rsbridge completion bash > /etc/bash_completion.d/rsbridge', 'for everybody on this machine'],
    ['rsbridge completion zsh > ~/.zfunc/_rsbridge', 'for yourself; ~/.zfunc has to be in fpath'],
    ['rsbridge completion fish > ~/.config/fish/completions/rsbridge.fish', 'for yourself'],
  ],
};

export function examplesOf({ words }: CommandNode): (typeof examples)[string] {
  return examples[words.join(' ')] ?? [];
}

/** What most people type first: for whoever asks the program as a whole. */
const beginning = ['demo', 'init', 'serve', 'status', 'doctor'];

/** They stand below the options in each `--help`; a command that only has others below it shows one of each of those. */
export function addExamples(program: Command): void {
  const all = flat(treeOf(program));
  for (const node of all) {
    const below =
      node.words.length === 0
        ? beginning.flatMap((name) => all.filter(({ words }) => words.join(' ') === name))
        : flat(node).filter(({ children }) => children.length === 0);
    const shown =
      node.children.length === 0 ? examplesOf(node) : below.flatMap((child) => examplesOf(child).slice(0, 1));
    const lines = shown.map(([typed, why]) => `  ${typed}\n      ${why}`);
    if (lines.length > 0) node.command.addHelpText('after', `\nExamples:\n${lines.join('\n')}`);
  }
}
