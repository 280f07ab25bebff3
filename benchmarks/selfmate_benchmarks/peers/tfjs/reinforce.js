// REINFORCE as the reference design has it, in plain JavaScript: chess.js for the rules, TensorFlow.js
// for the net. The same learner as ours: 768 + 136 -> 256 -> 128 -> 1, temperature 1.2, 200 plies, Adam
// at 1e-3, results as the only reward. All games are played in one batch, and the first layer is split,
// so that a position is multiplied once for all its moves. `window.peer(tf, Chess)` makes a learner.
window.peer = (tf, Chess) => {
  const POSITION = 768, MOVE = 136, MAX_PLIES = 200, TEMPERATURE = 1.2, CHUNK = 256;
  const PIECES = "PNBRQKpnbrqk", PROMOTIONS = "qrbn";
  const weight = (rows, columns) => tf.variable(tf.randomUniform([rows, columns], -1, 1).div(Math.sqrt(rows)));
  const net = {
    position: weight(POSITION, 256), move: weight(MOVE, 256), first: weight(1, 256),
    hidden: weight(256, 128), second: weight(1, 128), score: weight(128, 1), last: weight(1, 1),
  };
  const adam = tf.train.adam(1e-3);

  const squareOf = (name) => name.charCodeAt(0) - 97 + 8 * (name.charCodeAt(1) - 49);

  function positionInputs(game) {
    const inputs = [];
    for (const row of game.board())
      for (const piece of row)
        if (piece !== null) {
          const letter = piece.color === "w" ? piece.type.toUpperCase() : piece.type;
          inputs.push(64 * PIECES.indexOf(letter) + squareOf(piece.square));
        }
    return inputs;
  }

  function moveInputs(move) {
    const inputs = [squareOf(move.from), 64 + squareOf(move.to)];
    inputs.push(move.promotion ? 129 + PROMOTIONS.indexOf(move.promotion) : 128);
    if (move.captured) inputs.push(133);
    if (/[+#]$/.test(move.san)) inputs.push(134);
    if (/^O-O/.test(move.san)) inputs.push(135);
    return inputs;
  }

  // Rows of inputs as a dense matrix; as many moves for each ply as the ply with the most has.
  function batch(plies) {
    const width = Math.max(...plies.map((ply) => ply.moves.length));
    const positions = new Float32Array(plies.length * POSITION);
    const moves = new Float32Array(plies.length * width * MOVE);
    const mask = new Float32Array(plies.length * width).fill(-1e9);
    plies.forEach((ply, at) => {
      for (const input of ply.position) positions[at * POSITION + input] = 1;
      ply.moves.forEach((inputs, number) => {
        mask[at * width + number] = 0;
        for (const input of inputs) moves[(at * width + number) * MOVE + input] = 1;
      });
    });
    return { positions, moves, mask, width, count: plies.length };
  }

  // Log probabilities [plies, moves].
  function policy({ positions, moves, mask, width, count }) {
    const ofPosition = tf.matMul(tf.tensor2d(positions, [count, POSITION]), net.position).add(net.first);
    const ofMoves = tf.matMul(tf.tensor2d(moves, [count * width, MOVE]), net.move).reshape([count, width, 256]);
    const first = tf.relu(ofMoves.add(ofPosition.expandDims(1))).reshape([count * width, 256]);
    const second = tf.relu(tf.matMul(first, net.hidden).add(net.second));
    const scores = tf.matMul(second, net.score).add(net.last).reshape([count, width]);
    return tf.logSoftmax(scores.div(TEMPERATURE).add(tf.tensor2d(mask, [count, width])));
  }

  function sampled(logProbs, from, count) {
    let left = Math.random();
    for (let at = 0; at < count - 1; at++) {
      left -= Math.exp(logProbs[from + at]);
      if (left < 0) return at;
    }
    return count - 1;
  }

  function play(count) {
    const games = Array.from({ length: count }, () => ({ chess: new Chess(), plies: [], result: 0 }));
    let open = games;
    for (let ply = 0; ply < MAX_PLIES && open.length > 0; ply++) {
      const legal = open.map(({ chess }) => chess.moves({ verbose: true }));
      const asked = open.map(({ chess }, at) => ({
        position: positionInputs(chess), moves: legal[at].map(moveInputs), isWhite: chess.turn() === "w",
      }));
      const inputs = batch(asked);
      const logProbs = tf.tidy(() => policy(inputs).dataSync());
      open.forEach((game, at) => {
        const chosen = sampled(logProbs, at * inputs.width, legal[at].length);
        game.plies.push({ ...asked[at], chosen });
        game.chess.move(legal[at][chosen]);
        if (game.chess.isCheckmate()) game.result = asked[at].isWhite ? 1 : -1;
      });
      open = open.filter(({ chess }) => !chess.isGameOver());
    }
    return games;
  }

  // Plies of games without a winner have no gradient.
  function learn(games) {
    const all = games.reduce((sum, game) => sum + game.plies.length, 0);
    const plies = games.flatMap(({ plies, result }) =>
      result === 0 ? [] : plies.map((ply) => ({ ...ply, advantage: ply.isWhite ? result : -result })));
    const sums = {};
    for (let from = 0; from < plies.length; from += CHUNK) {
      const part = plies.slice(from, from + CHUNK);
      const { value, grads } = tf.variableGrads(() => {
        const inputs = batch(part);
        const chosen = tf.oneHot(tf.tensor1d(part.map((ply) => ply.chosen), "int32"), inputs.width);
        const taken = policy(inputs).mul(chosen).sum(1);
        return taken.mul(tf.tensor1d(part.map((ply) => -ply.advantage / all))).sum();
      });
      value.dispose();
      for (const [name, gradient] of Object.entries(grads)) {
        const sum = sums[name] === undefined ? gradient : tf.tidy(() => sums[name].add(gradient));
        if (sums[name] !== undefined) tf.dispose([sums[name], gradient]);
        sums[name] = sum;
      }
    }
    if (plies.length > 0) adam.applyGradients(sums);
    tf.dispose(sums);
  }

  return { iterate: (count) => learn(play(count)), tensors: () => tf.memory().numTensors };
};
