"""Names of openings, typed by us from common knowledge. A name belongs to a position, so it is
found however the moves were ordered."""

from functools import cache

from selfmate.rules import Board

LINES = """
e4: King's Pawn
e4 e5: Open Game
e4 e5 Nf3: King's Knight Opening
e4 e5 Nf3 Nc6: King's Knight Opening
e4 e5 Nf3 Nc6 Bb5: Ruy Lopez
e4 e5 Nf3 Nc6 Bb5 a6: Ruy Lopez, Morphy Defence
e4 e5 Nf3 Nc6 Bb5 a6 Bxc6: Ruy Lopez, Exchange Variation
e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7: Ruy Lopez, Closed
e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Nxe4: Ruy Lopez, Open
e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7 Re1 b5 Bb3 O-O c3 d5: Ruy Lopez, Marshall Attack
e4 e5 Nf3 Nc6 Bb5 Nf6: Ruy Lopez, Berlin Defence
e4 e5 Nf3 Nc6 Bb5 d6: Ruy Lopez, Steinitz Defence
e4 e5 Nf3 Nc6 Bb5 f5: Ruy Lopez, Schliemann Defence
e4 e5 Nf3 Nc6 Bb5 Nd4: Ruy Lopez, Bird Defence
e4 e5 Nf3 Nc6 Bb5 Bc5: Ruy Lopez, Classical Defence
e4 e5 Nf3 Nc6 Bc4: Italian Game
e4 e5 Nf3 Nc6 Bc4 Bc5: Italian Game, Giuoco Piano
e4 e5 Nf3 Nc6 Bc4 Bc5 d3: Italian Game, Giuoco Pianissimo
e4 e5 Nf3 Nc6 Bc4 Bc5 b4: Italian Game, Evans Gambit
e4 e5 Nf3 Nc6 Bc4 Nf6: Two Knights Defence
e4 e5 Nf3 Nc6 Bc4 Nf6 Ng5: Two Knights Defence, Knight Attack
e4 e5 Nf3 Nc6 Bc4 Nf6 Ng5 d5 exd5 Nxd5 Nxf7: Two Knights Defence, Fried Liver Attack
e4 e5 Nf3 Nc6 Bc4 Be7: Hungarian Defence
e4 e5 Nf3 Nc6 d4: Scotch Game
e4 e5 Nf3 Nc6 d4 exd4: Scotch Game
e4 e5 Nf3 Nc6 d4 exd4 Nxd4: Scotch Game
e4 e5 Nf3 Nc6 d4 exd4 Nxd4 Nf6: Scotch Game, Schmidt Variation
e4 e5 Nf3 Nc6 d4 exd4 Nxd4 Bc5: Scotch Game, Classical Variation
e4 e5 Nf3 Nc6 d4 exd4 Bc4: Scotch Gambit
e4 e5 Nf3 Nc6 d4 exd4 c3: Goering Gambit
e4 e5 Nf3 Nc6 Nc3: Three Knights Game
e4 e5 Nf3 Nc6 Nc3 Nf6: Four Knights Game
e4 e5 Nf3 Nc6 Nc3 Nf6 Bb5: Four Knights Game, Spanish Variation
e4 e5 Nf3 Nc6 Nc3 Nf6 d4: Four Knights Game, Scotch Variation
e4 e5 Nf3 Nc6 c3: Ponziani Opening
e4 e5 Nf3 Nf6: Petrov's Defence
e4 e5 Nf3 Nf6 Nxe5: Petrov's Defence, Classical Variation
e4 e5 Nf3 Nf6 d4: Petrov's Defence, Steinitz Attack
e4 e5 Nf3 d6: Philidor Defence
e4 e5 Nf3 d5: Elephant Gambit
e4 e5 Nf3 f5: Latvian Gambit
e4 e5 Nf3 f6: Damiano Defence
e4 e5 Bc4: Bishop's Opening
e4 e5 Bc4 Nf6: Bishop's Opening, Berlin Defence
e4 e5 Nc3: Vienna Game
e4 e5 Nc3 Nf6: Vienna Game, Falkbeer Variation
e4 e5 Nc3 Nf6 f4: Vienna Gambit
e4 e5 f4: King's Gambit
e4 e5 f4 exf4: King's Gambit Accepted
e4 e5 f4 exf4 Nf3: King's Gambit Accepted, King's Knight Gambit
e4 e5 f4 exf4 Bc4: King's Gambit Accepted, Bishop's Gambit
e4 e5 f4 Bc5: King's Gambit Declined, Classical Variation
e4 e5 f4 d5: King's Gambit, Falkbeer Countergambit
e4 e5 d4: Centre Game
e4 e5 d4 exd4 Qxd4: Centre Game
e4 e5 d4 exd4 c3: Danish Gambit
e4 e5 Qh5: Wayward Queen Attack
e4 c5: Sicilian Defence
e4 c5 Nf3: Sicilian Defence
e4 c5 Nf3 d6: Sicilian Defence
e4 c5 Nf3 d6 d4: Sicilian Defence, Open
e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6: Sicilian Defence, Najdorf Variation
e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6 Be3: Sicilian Najdorf, English Attack
e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 g6: Sicilian Defence, Dragon Variation
e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 g6 Be3 Bg7 f3: Sicilian Dragon, Yugoslav Attack
e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 Nc6: Sicilian Defence, Classical Variation
e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 e6: Sicilian Defence, Scheveningen Variation
e4 c5 Nf3 d6 Bb5: Sicilian Defence, Moscow Variation
e4 c5 Nf3 Nc6: Sicilian Defence, Old Sicilian
e4 c5 Nf3 Nc6 Bb5: Sicilian Defence, Rossolimo Variation
e4 c5 Nf3 Nc6 d4 cxd4 Nxd4 g6: Sicilian Defence, Accelerated Dragon
e4 c5 Nf3 Nc6 d4 cxd4 Nxd4 Nf6 Nc3 e5: Sicilian Defence, Sveshnikov Variation
e4 c5 Nf3 Nc6 d4 cxd4 Nxd4 e5: Sicilian Defence, Kalashnikov Variation
e4 c5 Nf3 e6: Sicilian Defence, French Variation
e4 c5 Nf3 e6 d4 cxd4 Nxd4 a6: Sicilian Defence, Kan Variation
e4 c5 Nf3 e6 d4 cxd4 Nxd4 Nc6: Sicilian Defence, Taimanov Variation
e4 c5 c3: Sicilian Defence, Alapin Variation
e4 c5 Nc3: Sicilian Defence, Closed
e4 c5 d4: Sicilian Defence, Smith-Morra Gambit
e4 c5 d4 cxd4 c3: Sicilian Defence, Smith-Morra Gambit
e4 c5 f4: Sicilian Defence, Grand Prix Attack
e4 c5 b4: Sicilian Defence, Wing Gambit
e4 c5 Bc4: Sicilian Defence, Bowdler Attack
e4 e6: French Defence
e4 e6 d4: French Defence
e4 e6 d4 d5: French Defence
e4 e6 d4 d5 e5: French Defence, Advance Variation
e4 e6 d4 d5 exd5: French Defence, Exchange Variation
e4 e6 d4 d5 Nd2: French Defence, Tarrasch Variation
e4 e6 d4 d5 Nc3: French Defence, Paulsen Variation
e4 e6 d4 d5 Nc3 Bb4: French Defence, Winawer Variation
e4 e6 d4 d5 Nc3 Nf6: French Defence, Classical Variation
e4 e6 d4 d5 Nc3 dxe4: French Defence, Rubinstein Variation
e4 e6 d3: French Defence, King's Indian Attack
e4 c6: Caro-Kann Defence
e4 c6 d4 d5: Caro-Kann Defence
e4 c6 d4 d5 e5: Caro-Kann Defence, Advance Variation
e4 c6 d4 d5 exd5: Caro-Kann Defence, Exchange Variation
e4 c6 d4 d5 exd5 cxd5 c4: Caro-Kann Defence, Panov Attack
e4 c6 d4 d5 Nc3 dxe4 Nxe4 Bf5: Caro-Kann Defence, Classical Variation
e4 c6 d4 d5 Nc3 dxe4 Nxe4 Nd7: Caro-Kann Defence, Karpov Variation
e4 c6 d4 d5 f3: Caro-Kann Defence, Fantasy Variation
e4 c6 Nc3 d5 Nf3: Caro-Kann Defence, Two Knights Attack
e4 d5: Scandinavian Defence
e4 d5 exd5 Qxd5: Scandinavian Defence
e4 d5 exd5 Qxd5 Nc3 Qa5: Scandinavian Defence, Main Line
e4 d5 exd5 Nf6: Scandinavian Defence, Modern Variation
e4 Nf6: Alekhine's Defence
e4 Nf6 e5 Nd5 d4 d6 c4 Nb6 f4: Alekhine's Defence, Four Pawns Attack
e4 d6: Pirc Defence
e4 d6 d4 Nf6 Nc3 g6: Pirc Defence
e4 d6 d4 Nf6 Nc3 g6 f4: Pirc Defence, Austrian Attack
e4 g6: Modern Defence
e4 Nc6: Nimzowitsch Defence
e4 b6: Owen's Defence
e4 a6: St George Defence
e4 g5: Borg Defence
d4: Queen's Pawn
d4 d5: Closed Game
d4 d5 c4: Queen's Gambit
d4 d5 c4 e6: Queen's Gambit Declined
d4 d5 c4 e6 Nc3 Nf6: Queen's Gambit Declined
d4 d5 c4 e6 Nc3 Nf6 Bg5: Queen's Gambit Declined, Modern Variation
d4 d5 c4 e6 Nc3 Nf6 cxd5 exd5: Queen's Gambit Declined, Exchange Variation
d4 d5 c4 e6 Nc3 c5: Queen's Gambit Declined, Tarrasch Defence
d4 d5 c4 e6 Nc3 c6: Semi-Slav Defence, Noteboom or Marshall
d4 d5 c4 dxc4: Queen's Gambit Accepted
d4 d5 c4 c6: Slav Defence
d4 d5 c4 c6 cxd5 cxd5: Slav Defence, Exchange Variation
d4 d5 c4 c6 Nf3 Nf6 Nc3 e6: Semi-Slav Defence
d4 d5 c4 c6 Nf3 Nf6 Nc3 dxc4: Slav Defence, Accepted
d4 d5 c4 e5: Albin Countergambit
d4 d5 c4 Nc6: Chigorin Defence
d4 d5 c4 c5: Austrian Defence
d4 d5 Nf3: Queen's Pawn, Zukertort Variation
d4 d5 Nf3 Nf6 Bf4: London System
d4 d5 Nf3 Nf6 e3: Colle System
d4 d5 Bf4: London System
d4 d5 Bg5: Levitsky Attack
d4 d5 Nc3: Queen's Pawn, Chigorin Variation
d4 d5 Nc3 Nf6 Bg5: Richter-Veresov Attack
d4 d5 e4: Blackmar-Diemer Gambit
d4 d5 e3: Queen's Pawn
d4 Nf6: Indian Defence
d4 Nf6 c4: Indian Defence
d4 Nf6 c4 e6: Indian Defence
d4 Nf6 c4 e6 Nc3 Bb4: Nimzo-Indian Defence
d4 Nf6 c4 e6 Nc3 Bb4 e3: Nimzo-Indian Defence, Rubinstein Variation
d4 Nf6 c4 e6 Nc3 Bb4 Qc2: Nimzo-Indian Defence, Classical Variation
d4 Nf6 c4 e6 Nf3 b6: Queen's Indian Defence
d4 Nf6 c4 e6 Nf3 Bb4+: Bogo-Indian Defence
d4 Nf6 c4 e6 g3: Catalan Opening
d4 Nf6 c4 e6 g3 d5: Catalan Opening
d4 Nf6 c4 g6: Indian Defence, West Indian
d4 Nf6 c4 g6 Nc3 Bg7: King's Indian Defence
d4 Nf6 c4 g6 Nc3 Bg7 e4 d6: King's Indian Defence
d4 Nf6 c4 g6 Nc3 Bg7 e4 d6 Nf3 O-O Be2: King's Indian Defence, Classical Variation
d4 Nf6 c4 g6 Nc3 Bg7 e4 d6 f3: King's Indian Defence, Saemisch Variation
d4 Nf6 c4 g6 Nc3 Bg7 e4 d6 f4: King's Indian Defence, Four Pawns Attack
d4 Nf6 c4 g6 Nc3 d5: Gruenfeld Defence
d4 Nf6 c4 g6 Nc3 d5 cxd5 Nxd5: Gruenfeld Defence, Exchange Variation
d4 Nf6 c4 c5 d5: Benoni Defence
d4 Nf6 c4 c5 d5 e6: Modern Benoni
d4 Nf6 c4 c5 d5 b5: Benko Gambit
d4 Nf6 c4 e5: Budapest Gambit
d4 Nf6 c4 d6: Old Indian Defence
d4 Nf6 Bg5: Trompowsky Attack
d4 Nf6 Bf4: London System
d4 Nf6 Nf3: Indian Defence, Knights Variation
d4 Nf6 Nf3 e6 Bf4: London System
d4 Nf6 Nf3 g6 Bf4: London System
d4 Nf6 Nf3 e6 Bg5: Torre Attack
d4 Nf6 Nc3: Indian Defence, Queen's Knight Variation
d4 f5: Dutch Defence
d4 f5 g3 Nf6 Bg2 g6: Dutch Defence, Leningrad Variation
d4 f5 g3 Nf6 Bg2 e6 Nf3 Be7 O-O O-O c4 d5: Dutch Defence, Stonewall Variation
d4 f5 e4: Dutch Defence, Staunton Gambit
d4 e6: Horwitz Defence
d4 d6: Wade Defence
d4 g6: Modern Defence
d4 c5: Old Benoni Defence
d4 e5: Englund Gambit
d4 b5: Polish Defence
d4 b6: English Defence
c4: English Opening
c4 e5: English Opening, Reversed Sicilian
c4 e5 Nc3 Nf6 Nf3 Nc6: English Opening, Four Knights
c4 c5: English Opening, Symmetrical
c4 Nf6: English Opening, Anglo-Indian Defence
c4 e6: English Opening, Agincourt Defence
c4 c6: English Opening, Caro-Kann Defence
c4 g6: English Opening, Great Snake Variation
Nf3: Reti Opening
Nf3 d5: Reti Opening
Nf3 d5 c4: Reti Opening
Nf3 d5 g3: King's Indian Attack
Nf3 Nf6: Reti Opening
Nf3 c5: Reti Opening, Sicilian Invitation
g3: Benko Opening
b3: Larsen's Opening
f4: Bird's Opening
f4 e5: Bird's Opening, From's Gambit
b4: Polish Opening
Nc3: Van Geet Opening
e3: Van 't Kruijs Opening
d3: Mieses Opening
c3: Saragossa Opening
a3: Anderssen's Opening
h3: Clemenz Opening
a4: Ware Opening
h4: Desprez Opening
g4: Grob Opening
f3: Barnes Opening
Nh3: Amar Opening
Na3: Sodium Attack
"""


def opening_of(board: Board) -> str | None:
    """The name of the last position of the game that has one; None for other starts and names we do
    not know."""
    if board.start_fen != Board().fen():
        return None
    names, longest = opening_names()
    replayed, found = Board(), None
    for move in board.moves[:longest]:
        replayed.push(move, past_draw=True)
        found = names.get(_key(replayed), found)
    return found


@cache
def opening_names() -> tuple[dict[str, str], int]:
    """Names by position, and the plies of the longest line."""
    names: dict[str, str] = {}
    longest = 0
    for line in LINES.strip().splitlines():
        sans, _, name = line.partition(": ")
        board = Board()
        for san in sans.split():
            board.push(board.parse_san(san))
        names[_key(board)] = name
        longest = max(longest, len(board.moves))
    return names, longest


def _key(board: Board) -> str:
    """Pieces, side to move and castling rights."""
    return " ".join(board.fen().split()[:3])
