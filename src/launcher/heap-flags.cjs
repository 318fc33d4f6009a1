'use strict';

/**
 * Flags of V8 that hold the memory limits of docs/performance.md; without them it collects later than it has to.
 * @param {string} version of Node
 * @param {string} given flags that the user has set: where they speak of the same thing, ours do not
 * @param {readonly string[]} args of the command line: nobody waits for a process that only works, and it can collect more often
 * @returns {string[]}
 */
exports.heapFlags = (version, given, args = []) => {
  const flags = [];
  const onlyWorks = args.includes('--role=work') || (args.includes('--role') && args.includes('work'));
  if (!/--(?:max[-_](?:old[-_]space|heap)[-_]size|heap[-_]growing[-_]percent)/.test(given))
    flags.push(`--heap-growing-percent=${onlyWorks ? 25 : 40}`);
  // From Node 24 on the space for young objects grows to 96 MB and more.
  if (Number.parseInt(version, 10) >= 23 && !/--(?:max|min)[-_]semi[-_]space[-_]size/.test(given))
    flags.push('--max-semi-space-size=4');
  return flags;
};

/**
 * Settings of the allocator of glibc, which reads them when a process starts; others ignore them. By default it has eight arenas for each
 * core, and large buffers lie among small ones: of both it gives nothing back.
 * @param {NodeJS.ProcessEnv} given where it speaks of the allocator, ours are left out
 * @returns {Record<string, string>}
 */
exports.allocatorSettings = (given) => {
  if (Object.keys(given).some((name) => /^(?:MALLOC_|GLIBC_TUNABLES$)/.test(name))) return {};
  return { MALLOC_ARENA_MAX: '1', MALLOC_MMAP_THRESHOLD_: '131072', MALLOC_TRIM_THRESHOLD_: '131072' };
};

/** Whether it counts only when it is there at the start of the process. */
exports.isForStart = (flag) => flag.startsWith('--max-semi-space-size');
