"""Words too common to look for, by language. Only lists: analysis decides what becomes of them."""

_ENGLISH = """
a about above after again against all am an and any are aren't as at be because been before being
below between both but by can can't cannot could couldn't did didn't do does doesn't doing don't
down during each few for from further had hadn't has hasn't have haven't having he he'd he'll he's
her here here's hers herself him himself his how how's i i'd i'll i'm i've if in into is isn't it
it's its itself just let's me more most mustn't my myself no nor not now of off on once only or
other ought our ours ourselves out over own same shan't she she'd she'll she's should shouldn't so
some such than that that's the their theirs them themselves then there there's these they they'd
they'll they're they've this those through to too under until up very was wasn't we we'd we'll
we're we've were weren't what what's when when's where where's which while who who's whom why why's
will with won't would wouldn't you you'd you'll you're you've your yours yourself yourselves
"""
_GERMAN = """
aber alle allem allen aller alles als also am an ander andere anderem anderen anderer anderes auch
auf aus bei bin bis bist da damit dann das dass daß dein deine deinem deinen deiner deines dem den
denn der des dessen dich die dies diese diesem diesen dieser dieses dir doch dort du durch ein eine
einem einen einer eines einig einige einigem einigen einiger einiges einmal er es etwas euch euer
eure eurem euren eurer eures für gegen gewesen hab habe haben hat hatte hatten hier hin hinter ich
ihm ihn ihnen ihr ihre ihrem ihren ihrer ihres im in indem ins ist jede jedem jeden jeder jedes jene
jenem jenen jener jenes jetzt kann kein keine keinem keinen keiner keines können könnte machen man
manche manchem manchen mancher manches mein meine meinem meinen meiner meines mich mir mit muss
musste nach nicht nichts noch nun nur ob oder ohne sehr sein seine seinem seinen seiner seines
selbst sich sie sind so solche solchem solchen solcher solches soll sollte sondern sonst über um und
uns unser unsere unserem unseren unserer unseres unter viel vom von vor während war waren warst was
weg weil weiter welche welchem welchen welcher welches wenn wer werde werden wie wieder will wir
wird wirst wo wollen wollte wurde wurden würde würden zu zum zur zwar zwischen
"""
_FRENCH = """
à ai aie aient aies ait as au aura aurai auraient aurait aux avaient avait avec avez avons ayant c
ce ceci cela ces cet cette ceux chez comme d dans de des donc dont du elle elles en es est et
étaient était étant été être eu eux il ils j je l la le les leur leurs lui m ma mais me même mes
moi mon n
ne ni nos notre nous on ont ou où par pas pour qu quand que quel quelle quelles quels qui s sa sans
se sera serait ses si soi son sont sous suis sur t ta te tes toi ton tu un une vos votre vous y
"""
_SPANISH = """
a al algo algunas algunos ante antes aquel aquella como con contra cual cuales cuando cuándo de del
desde donde dónde durante e él el ella ellas ellos en entre era eran eres es esa esas ese eso esos
esta está estaba estamos están estar estas este esto estos fue fueron ha había han has hasta hay he
la las le les lo los más me mi mis mucho muchos muy nada ni no nos nosotros nuestra nuestro o os
otra otras otro otros para pero poco por porque qué que quien quién quienes se sea ser será si sí
sido sin sobre son soy su sus también tanto te tengo tiene tienen todo todos tu tú tus un una uno
unos usted ustedes y ya yo
"""
_ITALIAN = """
a abbiamo ad agli ai al alla alle allo anche c che chi ci come con cosa cui d da dagli dai dal dalla
dalle dallo degli dei del della delle dello di dov dove e è ed era erano essere gli ha hai hanno ho
i il in io l la le lei li lo loro lui ma mi mia mie miei mio ne negli nei nel nella nelle nello noi
non nostra nostro o per perché più quale quali quando quanta quante quanti quanto quella quelle
quelli quello questa queste questi questo s se sei si sia sono sta stata stato su sua sue sugli sui
sul sulla sulle sullo suo suoi ti tra tu tua tue tuo tuoi tutti tutto un una uno vi voi
"""
_DUTCH = """
aan al alles als altijd andere ben bij daar dan dat de der deze die dit doch doen door dus een eens
en er ge geen geweest haar had heb hebben heeft hem het hier hij hoe hun iemand iets ik in is ja je
kan kon kunnen maar me meer men met mij mijn moet na naar niet niets nog nu of om omdat onder ons
ook op over reeds te tegen toch toen tot u uit uw van veel voor want waren was wat werd wezen wie
wil worden wordt zal ze zelf zich zij zijn zo zonder zou
"""
_PORTUGUESE = """
a à ao aos aquela aquele aquilo as às até com como da das de dela dele deles depois do dos e é ela
elas ele eles em entre era eram essa esse esta está estão este eu foi foram há isso isto já lhe lhes
mais mas me mesmo meu meus minha minhas muito na não nas nem no nos nós nossa nosso num numa o os
ou para pela pelas pelo pelos por qual quando que quem se seja sem ser será seu seus só sua suas
são também te tem têm tenho teu tu tua um uma você vocês
"""

STOP_WORDS: dict[str, frozenset[str]] = {
    "de": frozenset(_GERMAN.split()),
    "en": frozenset(_ENGLISH.split()),
    "es": frozenset(_SPANISH.split()),
    "fr": frozenset(_FRENCH.split()),
    "it": frozenset(_ITALIAN.split()),
    "nl": frozenset(_DUTCH.split()),
    "pt": frozenset(_PORTUGUESE.split()),
}
