// SHA-256 (FIPS 180-4). Browsers offer it only to pages over HTTPS or from this machine; the tab
// works from any server.

const WORDS = 64;
const BLOCK = 64; // bytes

// The first 32 bits of the fractional parts of the square roots of the first 8 primes, and of the
// cube roots of the first 64.
const PRIMES = firstPrimes(WORDS);
const INITIAL = Uint32Array.from(PRIMES.slice(0, 8), (prime) => fraction(Math.sqrt(prime)));
const ROUND = Uint32Array.from(PRIMES, (prime) => fraction(Math.cbrt(prime)));

/** In hexadecimal. */
export function sha256(data: Uint8Array): string {
  const state = INITIAL.slice();
  const schedule = new Uint32Array(WORDS);
  const padded = tail(data);
  const whole = data.length - (data.length % BLOCK);
  for (let at = 0; at < whole; at += BLOCK) compress(state, schedule, data, at);
  for (let at = 0; at < padded.length; at += BLOCK) compress(state, schedule, padded, at);
  return [...state].map((word) => word.toString(16).padStart(8, "0")).join("");
}

/** What is left after the last whole block, a one bit, zeros, and the length in bits. */
function tail(data: Uint8Array): Uint8Array {
  const rest = data.subarray(data.length - (data.length % BLOCK));
  const padded = new Uint8Array(rest.length + 9 <= BLOCK ? BLOCK : 2 * BLOCK);
  padded.set(rest);
  padded[rest.length] = 0x80;
  new DataView(padded.buffer).setBigUint64(padded.length - 8, BigInt(data.length) * 8n);
  return padded;
}

function compress(state: Uint32Array, schedule: Uint32Array, data: Uint8Array, at: number): void {
  for (let i = 0; i < 16; i++) {
    const j = at + 4 * i;
    schedule[i] = (data[j]! << 24) | (data[j + 1]! << 16) | (data[j + 2]! << 8) | data[j + 3]!;
  }
  for (let i = 16; i < WORDS; i++) {
    const [x, y] = [schedule[i - 15]!, schedule[i - 2]!];
    const low = turn(x, 7) ^ turn(x, 18) ^ (x >>> 3);
    const high = turn(y, 17) ^ turn(y, 19) ^ (y >>> 10);
    schedule[i] = (schedule[i - 16]! + low + schedule[i - 7]! + high) | 0;
  }
  let [a, b, c, d, e, f, g, h] = state as unknown as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  for (let i = 0; i < WORDS; i++) {
    const chosen = (e & f) ^ (~e & g);
    const first =
      (h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + chosen + ROUND[i]! + schedule[i]!) | 0;
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const second = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + majority) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0];
  }
  [a, b, c, d, e, f, g, h].forEach((word, i) => (state[i] = state[i]! + word));
}

function turn(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by));
}

function fraction(root: number): number {
  return Math.floor((root % 1) * 2 ** 32);
}

function firstPrimes(count: number): number[] {
  const primes: number[] = [];
  for (let number = 2; primes.length < count; number++)
    if (primes.every((prime) => number % prime !== 0)) primes.push(number);
  return primes;
}
