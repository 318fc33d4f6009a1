'use strict';
const { availableParallelism } = require('node:os');

/**
 * Flags of V8 that hold the memory limits of docs/performance.md; without them it collects later than it has to. Of many processes
 * at one database each is to be small; what that takes in processor time, a quarter of a harvest, is too much for one that is alone.
 * A copy of a million resources keeps within them with more, and most of what it makes for each dies soon.
 * @param {string} version of Node
 * @param {string} given flags that the user has set: where they speak of the same thing, ours do not
 * @param {readonly string[]} args of the command line
 * @returns {string[]}
 */
exports.heapFlags = (version, given, args = []) => {
  const flags = [];
  const role = roleOf(args);
  // Nobody waits for a process that only works.
  if (!/--(?:max[-_](?:old[-_]space|heap)[-_]size|heap[-_]growing[-_]percent)/.test(given))
    flags.push(`--heap-growing-percent=${role === 'work' ? 25 : args[0] === 'sync' ? 70 : 40}`);
  // From Node 24 on the space for young objects grows to 96 MB and more; with 8 a service with a thousand sources takes 40 MB less than with 16.
  if (Number.parseInt(version, 10) >= 23 && !/--(?:max|min)[-_]semi[-_]space[-_]size/.test(given))
    flags.push(`--max-semi-space-size=${role !== undefined ? 4 : args[0] === 'serve' ? 8 : 16}`);
  return flags;
};

/**
 * V8 collects garbage with four threads of its own, whatever the machine. Where cores are fewer, a thread that works is taken off its core for them, and
 * waits for those that have none: a harvest with threads of its own has half of the idle time without them.
 * @param {string} given flags that the user has set
 * @param {readonly string[]} args of the command line
 * @param {number} cores
 * @returns {string[]} these count only at the start of the process
 */
exports.poolFlags = (given, args, cores = availableParallelism()) => {
  const isUsual = cores > usualPool || /--v8[-_]pool[-_]size/.test(given);
  return isUsual || !readsInThreads(args) ? [] : [`--v8-pool-size=${Math.max(1, cores - 1)}`];
};

const usualPool = 4;

/**
 * Settings of the allocator of glibc for a copy, a harvest, a service and one of many processes, which reads them when it starts; others ignore them. By
 * default it has eight arenas for each core, and large buffers lie among small ones: of both it gives nothing back. Whoever publishes has many of 64 kB, what
 * is read of a file at a time, and more than one list of a large set leaves behind.
 * @param {NodeJS.ProcessEnv} given where it speaks of the allocator, ours are left out
 * @param {readonly string[]} args of the command line
 * @returns {Record<string, string>}
 */
exports.allocatorSettings = (given, args) => {
  const isSet = Object.keys(given).some((name) => /^(?:MALLOC_|GLIBC_TUNABLES$)/.test(name));
  const role = roleOf(args);
  if (isSet) return {};
  // Threads that take and give back a megabyte at a time would each leave tens of them in arenas of its own.
  if (role !== undefined) {
    const ownPages = role === 'work' ? '65536' : '131072';
    return { MALLOC_ARENA_MAX: '1', MALLOC_MMAP_THRESHOLD_: ownPages, MALLOC_TRIM_THRESHOLD_: '131072' };
  }
  // Two, where threads would wait for each other at the only one.
  return longRunning.has(args[0]) ? { MALLOC_ARENA_MAX: readsInThreads(args) ? '2' : '1' } : {};
};

/** Commands that have threads of their own, or go through everything there is; to others a second start is not worth it. */
const longRunning = new Set(['export', 'harvest', 'publish', 'serve', 'sync']);

/** With `workers`; `serve` does so, too, but with a thousand sources it would take 25 MB more. */
function readsInThreads(args) {
  return args[0] === 'harvest';
}

/** @returns {string | undefined} of a process that is one of many */
function roleOf(args) {
  return /(?:^| )--role[= ](work|web)(?: |$)/.exec(args.join(' '))?.[1];
}

/** Whether it counts only when it is there at the start of the process. */
exports.isForStart = (flag) => flag.startsWith('--max-semi-space-size');
