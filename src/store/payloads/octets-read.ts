/** Told how many octets were read so far, and how many there are. */
export type OctetsRead = (done: number, total: number) => void;

/** Adds up what is read, and says so each time; the first time at once. */
export function countOctets(total: number, onProgress: OctetsRead): (octets: number) => void {
  let done = 0;
  onProgress(done, total);
  return (octets) => {
    done += octets;
    onProgress(done, total);
  };
}
