// Sounds of our own making: short tones, off until somebody switches them on.

const KEY = "selfmate-sound";
const NOTES = { move: [330], capture: [220, 165], check: [520, 660], end: [392, 494, 587] } as const;
const NOTE_SECONDS = 0.09;
const LOUDNESS = 0.12;

export type Sound = keyof typeof NOTES;

let context: AudioContext | null = null;

export function soundIsOn(): boolean {
  return localStorage.getItem(KEY) === "on";
}

export function switchSound(on: boolean): void {
  localStorage.setItem(KEY, on ? "on" : "off");
  if (on) play("move"); // a press of a button: from now on the browser allows sounds
}

export function play(sound: Sound): void {
  if (!soundIsOn()) return;
  context ??= new AudioContext();
  const begin = context.currentTime;
  NOTES[sound].forEach((hertz, at) => note(context!, hertz, begin + at * NOTE_SECONDS));
}

/** A soft knock: a triangle wave that fades within a note. */
function note(to: AudioContext, hertz: number, at: number): void {
  const wave = to.createOscillator();
  const volume = to.createGain();
  wave.type = "triangle";
  wave.frequency.value = hertz;
  volume.gain.setValueAtTime(LOUDNESS, at);
  volume.gain.exponentialRampToValueAtTime(0.001, at + 1.6 * NOTE_SECONDS);
  wave.connect(volume).connect(to.destination);
  wave.start(at);
  wave.stop(at + 2 * NOTE_SECONDS);
}
