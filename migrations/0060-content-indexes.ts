/**
 * From bytes to what refers to them: so that what is taken down costs as much as is taken down, and not the reading of every
 * version, payload and change. The database keeps them right, whichever release writes.
 *
 * The first four octets of a hash tell one of four thousand million: an entry is half as long as with all of it, and what it
 * leads to is compared. What a metadata resource is now, one of its versions has been; of a file the hash may have become
 * known later. Of a patch the change has the hash in its links, in hexadecimal letters.
 */
const patch = '/rs/terms/patch"';
const begin = '"hash":"sha-256:';

/** Of change `links`, in the words of each database; those who look for it repeat it. */
const patchOfSqlite = `substr(links, instr(links, '${patch}') + instr(substr(links, instr(links, '${patch}')), '${begin}') + ${begin.length - 1}, 16)`;
const patchOfPostgres = `substring(links from '${patch}.*${begin}([0-9a-f]{16})')`;

export const indexes = [
  { name: 'version_content', table: 'version', on: '(substr(hash, 1, 4))' },
  {
    name: 'file_content',
    table: 'resource',
    on: `(substr(hash, 1, 4)) where kind = 'file' and hash is not null`,
  },
  {
    name: 'prior_content',
    table: 'prior_representation',
    on: '(substr(hash, 1, 4)) where hash is not null',
  },
  {
    name: 'remote_file_content',
    table: 'remote_file',
    on: '(substr(content_hash, 1, 4)) where content_hash is not null',
  },
  { name: 'blob_of_base', table: 'blob', on: '(substr(base, 1, 4)) where base is not null' },
  {
    name: 'change_of_patch',
    table: 'change',
    on: {
      sqlite: `(${patchOfSqlite}) where instr(links, '${patch}') > 0`,
      pg: `((${patchOfPostgres})) where strpos(links, '${patch}') > 0`,
    },
  },
  { name: 'released_when_due', table: 'released', on: '(due_at, hash)' },
] as const;

export async function up(): Promise<void> {
  // The indexes are all of it.
}
